import { setTimeout as delay } from 'node:timers/promises';
import { type Answer, type Connection, type Endpoint, openConnection } from './connection.ts';
import type { CpuMeter, CpuUse } from './cpu.ts';

/**
 * A caller produces the requests of one connection. `answered` gets each response, for example to read an entity tag
 * from it.
 */
export interface Caller {
  /** The status that `closedLoop` expects, by default any status from 200 to 299. */
  readonly status?: number;
  request(): Buffer;
  answered?(answer: Answer): void;
}

export interface Load {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly cpu?: CpuUse;
}

export interface LoadOptions {
  readonly connections: number;
  readonly seconds: number;
  readonly warmUp: WarmUp;
  readonly caller: (connection: number) => Caller;
  readonly meter?: CpuMeter;
}

/** Returns the value below which `share` (0 to 1) of the values lie. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => percentile(values, 0.5);

/** Throws if the status is not the expected one. Refusals would otherwise be measured as fast responses. */
export function assertGood(answer: Answer, status?: number): void {
  if (status === undefined ? answer.status >= 200 && answer.status < 300 : answer.status === status) return;
  throw new Error(`a request was refused:\n${answer.head}\n\n${answer.body.toString('utf8').slice(0, 2_000)}`);
}

const SLICE_MILLISECONDS = 1_000;
/** The rate is steady if the last slices differ by at most this share. */
const STEADY = 0.03;
const STEADY_SLICES = 3;

/**
 * The warm-up of one side of a row. A side is warm when it has answered `requests` requests, or when its rate is
 * steady. An engine that is still compiling has no steady rate. The side stays warm for later rounds, in which
 * `seconds` are enough to fill the connections.
 */
export class WarmUp {
  readonly #requests: number;
  readonly #seconds: number;
  #answered = 0;
  #isSteady = false;

  constructor({ requests, seconds }: { readonly requests: number; readonly seconds: number }) {
    this.#requests = requests;
    this.#seconds = seconds;
  }

  get #isWarm(): boolean {
    return this.#isSteady || this.#answered >= this.#requests;
  }

  /** `count` returns the number of requests answered in this round. */
  async wait(count: () => number, isOver: () => boolean): Promise<void> {
    await delay(this.#seconds * 1_000);
    const slices: number[] = [];
    const before = this.#answered;
    let last = count();
    this.#answered = before + last;
    while (!this.#isWarm && !isOver()) {
      await delay(SLICE_MILLISECONDS);
      slices.push(count() - last);
      last = count();
      this.#answered = before + last;
      this.#isSteady = isSteady(slices.slice(-STEADY_SLICES));
    }
  }
}

function isSteady(slices: readonly number[]): boolean {
  if (slices.length < STEADY_SLICES) return false;
  const [least, most] = [Math.min(...slices), Math.max(...slices)];
  return most > 0 && (most - least) / most <= STEADY;
}

interface Progress {
  answered: number;
  /** Requests that start before this time are not counted. */
  from: number;
  to: number;
  isOver: boolean;
}

async function callUntil(
  connection: Connection,
  caller: Caller,
  progress: Progress,
  latencies: number[],
): Promise<void> {
  while (!progress.isOver) {
    const started = performance.now();
    if (started >= progress.to) return;
    const answer = await connection.send(caller.request());
    const ended = performance.now();
    assertGood(answer, caller.status);
    caller.answered?.(answer);
    progress.answered += 1;
    if (started >= progress.from && ended <= progress.to) latencies.push(ended - started);
  }
}

/** Warms up, then opens the window in which requests are counted; returns the CPU time of a request in it. */
async function watch(progress: Progress, { meter, seconds, warmUp }: LoadOptions): Promise<CpuUse | undefined> {
  await warmUp.wait(
    () => progress.answered,
    () => progress.isOver,
  );
  await meter?.start();
  const before = progress.answered;
  progress.from = performance.now();
  progress.to = progress.from + seconds * 1_000;
  while (performance.now() < progress.to && !progress.isOver)
    await delay(Math.min(100, progress.to - performance.now()));
  const answered = progress.answered - before;
  return answered === 0 ? undefined : meter?.perRequest(answered);
}

/**
 * Runs a closed loop: a connection sends its next request when the previous one has been answered. Latencies are in
 * milliseconds.
 */
export async function closedLoop(endpoint: Endpoint, options: LoadOptions): Promise<Load> {
  const indexes = Array.from({ length: options.connections }, (_, index) => index);
  const connections = await Promise.all(indexes.map((index) => openConnection(endpoint, index)));
  const unknown = Number.POSITIVE_INFINITY;
  const progress: Progress = { answered: 0, from: unknown, to: unknown, isOver: false };
  const latencies: number[] = [];
  const calling = Promise.all(
    connections.map((connection, index) => callUntil(connection, options.caller(index), progress, latencies)),
  ).finally(() => {
    progress.isOver = true;
  });
  try {
    const [cpu] = await Promise.all([watch(progress, options), calling]);
    return {
      perSecond: latencies.length / options.seconds,
      p50: median(latencies),
      p99: percentile(latencies, 0.99),
      ...(cpu === undefined ? {} : { cpu }),
    };
  } finally {
    for (const connection of connections) connection.close();
  }
}

/**
 * Sends requests one after the other over one connection. Returns the latencies in milliseconds, without the first
 * `warmup` requests.
 */
export async function oneByOne(
  endpoint: Endpoint,
  caller: Caller,
  count: { readonly warmup: number; readonly measured: number },
): Promise<number[]> {
  const connection = await openConnection(endpoint, 0);
  const latencies: number[] = [];
  try {
    for (let index = 0; index < count.warmup + count.measured; index += 1) {
      const started = performance.now();
      const answer = await connection.send(caller.request());
      if (index >= count.warmup) latencies.push(performance.now() - started);
      assertGood(answer);
      caller.answered?.(answer);
    }
  } finally {
    connection.close();
  }
  return latencies;
}

/** Runs an open loop: sends `perSecond` requests per second, each on a free connection. */
export async function atRate(
  endpoint: Endpoint,
  options: Pick<LoadOptions, 'connections' | 'seconds' | 'caller'> & { readonly perSecond: number },
): Promise<void> {
  const started = performance.now();
  const total = Math.floor(options.perSecond * options.seconds);
  let next = 0;
  const work = async (index: number): Promise<void> => {
    const connection = await openConnection(endpoint, index);
    const caller = options.caller(index);
    try {
      while (next < total) {
        const due = started + (next * 1_000) / options.perSecond;
        next += 1;
        const wait = due - performance.now();
        if (wait > 1) await delay(wait);
        const answer = await connection.send(caller.request());
        assertGood(answer);
        caller.answered?.(answer);
      }
    } finally {
      connection.close();
    }
  };
  await Promise.all(Array.from({ length: options.connections }, (_, index) => work(index)));
}
