import { setTimeout as delay } from 'node:timers/promises';
import { openConnection, requestBytes } from '../connection.ts';
import { authorizationOf, type Gatehouse, newPlace, seedUsers, startGatehouse } from '../gatehouse.ts';
import { assertGood, atRate, type Caller, closedLoop, percentile, WarmUp } from '../load.ts';
import type { Result } from '../result.ts';
import { protocolOf, type Row, type RowOptions } from '../row.ts';
import { updaters } from './users.ts';

const POLL_MILLISECONDS = 5;
const LAST_ONES_MILLISECONDS = 10_000;
/** The number of the reader's connection. The load uses only lower numbers, so the reader has its own address. */
const READER = 200;

interface Event {
  readonly transaction: { readonly id: string };
}

/**
 * This reader follows the log through its `next` links, as a consumer does, and records when each transaction was first
 * seen.
 */
class Follower {
  readonly seenAt = new Map<string, number>();
  #stopping = false;
  #running: Promise<void> = Promise.resolve();

  start(gatehouse: Gatehouse): void {
    this.#running = this.#follow(gatehouse);
  }

  stop(): Promise<void> {
    this.#stopping = true;
    return this.#running;
  }

  async #follow({ endpoint, token }: Gatehouse): Promise<void> {
    const connection = await openConnection(endpoint, READER);
    let path = `/api/v1/logs?limit=1000&since=${encodeURIComponent(new Date().toISOString())}`;
    while (!this.#stopping) {
      const answer = await connection.send(requestBytes(endpoint, 'GET', path, authorizationOf(token)));
      assertGood(answer);
      const now = performance.now();
      const events = JSON.parse(answer.body.toString('utf8')) as Event[];
      for (const { transaction } of events) if (!this.seenAt.has(transaction.id)) this.seenAt.set(transaction.id, now);
      const next = /<([^>]+)>; *rel="next"/i.exec(answer.head)?.[1];
      if (next !== undefined) path = next.slice(next.indexOf('/api/'));
      if (events.length < 1000) await delay(POLL_MILLISECONDS);
    }
    connection.close();
  }
}

function noting(caller: Caller, answeredAt: Map<string, number>): Caller {
  return {
    request: () => caller.request(),
    answered: (answer) => {
      caller.answered?.(answer);
      const id = /\r\nx-svc-request-id: *(\S+)/i.exec(answer.head)?.[1];
      if (id !== undefined) answeredAt.set(id, performance.now());
    },
  };
}

async function outboxIsEmpty({ pool }: Gatehouse): Promise<void> {
  for (;;) {
    const { rows } = await pool.query<{ waiting: boolean }>('select waiting > 0 as waiting from log_backlog(0)');
    if (rows[0]?.waiting === false) return;
    await delay(5);
  }
}

/**
 * Measures how many changes per second a closed loop makes. The measured time ends when all events of the changes are
 * in the ledger.
 */
async function sustainableRate(gatehouse: Gatehouse, callers: readonly Caller[], options: RowOptions): Promise<number> {
  const { connections, seconds } = options.sizes;
  const warmUp = new WarmUp(options.sizes.warmUp);
  const caller = (index: number): Caller => callers[index] ?? { request: () => Buffer.alloc(0) };
  const load = await closedLoop(gatehouse.endpoint, { connections, seconds, warmUp, caller });
  const ended = performance.now();
  await outboxIsEmpty(gatehouse);
  return (load.perSecond * seconds) / (seconds + (performance.now() - ended) / 1_000);
}

async function lags(gatehouse: Gatehouse, callers: readonly Caller[], perSecond: number, options: RowOptions) {
  const { connections, readableSeconds } = options.sizes;
  const answeredAt = new Map<string, number>();
  const noted = callers.map((caller) => noting(caller, answeredAt));
  const follower = new Follower();
  follower.start(gatehouse);
  await atRate(gatehouse.endpoint, {
    connections,
    perSecond,
    seconds: readableSeconds,
    caller: (index) => noted[index] ?? { request: () => Buffer.alloc(0) },
  });
  const giveUp = performance.now() + LAST_ONES_MILLISECONDS;
  const isSeen = (id: string): boolean => follower.seenAt.has(id);
  while (![...answeredAt.keys()].every(isSeen) && performance.now() < giveUp) await delay(20);
  await follower.stop();
  const missing = [...answeredAt.keys()].filter((id) => !isSeen(id));
  if (missing.length > 0) throw new Error(`${missing.length} of ${answeredAt.size} events were never seen`);
  return [...answeredAt].map(([id, answered]) => Math.max(0, (follower.seenAt.get(id) ?? Number.NaN) - answered));
}

async function run(options: RowOptions): Promise<readonly Result[]> {
  const place = await newPlace();
  try {
    const { build, node, plain, profileDirectory } = options;
    const gatehouse = await startGatehouse({ place, plain, profileDirectory, build, node });
    try {
      const users = await seedUsers(gatehouse, options.sizes.users);
      const callers = updaters({ gatehouse }, users, options.sizes.connections);
      const sustainable = await sustainableRate(gatehouse, callers, options);
      const found = await lags(gatehouse, callers, sustainable / 2, options);
      const note = `${Math.round(sustainable / 2)} changes a second, half of ${Math.round(sustainable)}`;
      const line = (work: string, share: number, bound: number): Result => ({
        work,
        gatehouse: { name: 'Gatehouse', unit: 'ms', values: [percentile(found, share)] },
        beside: null,
        target: { bound, atLeast: false },
        note,
      });
      return [line('event readable after the answer, p50', 0.5, 50), line('the same, p99', 0.99, 200)];
    } finally {
      await gatehouse.stop();
    }
  } finally {
    await place.remove();
  }
}

/** This row measures the time from the response to a change until its event is in a page of `GET /api/v1/logs`. */
export const eventReadable: Row = {
  name: 'event-readable',
  settings: (options) => `${protocolOf(options)}, one reader that polls every ${POLL_MILLISECONDS} ms`,
  run,
};
