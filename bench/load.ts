import { setTimeout as delay } from 'node:timers/promises';
import { type Answer, type Connection, type Endpoint, openConnection } from './connection.ts';

/** Produces the requests of one connection. `answered` gets each answer, for example to read an entity tag from it. */
export interface Caller {
  request(): Buffer;
  answered?(answer: Answer): void;
}

export interface Load {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
}

export interface LoadOptions {
  readonly connections: number;
  readonly warmupSeconds: number;
  readonly seconds: number;
  readonly caller: (connection: number) => Caller;
}

/** Returns the value below which `share` (0 to 1) of the values lie. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => percentile(values, 0.5);

/** Throws unless the status is 2xx, so that refusals are not measured as fast answers. */
export function assertGood(answer: Answer): void {
  if (answer.status >= 200 && answer.status < 300) return;
  throw new Error(`a request was refused:\n${answer.head}\n\n${answer.body.toString('utf8').slice(0, 2_000)}`);
}

interface Window {
  readonly from: number;
  readonly to: number;
}

async function callUntil(connection: Connection, caller: Caller, window: Window, latencies: number[]): Promise<void> {
  for (;;) {
    const started = performance.now();
    if (started >= window.to) return;
    const answer = await connection.send(caller.request());
    const ended = performance.now();
    assertGood(answer);
    caller.answered?.(answer);
    if (started >= window.from && ended <= window.to) latencies.push(ended - started);
  }
}

/**
 * Runs a closed loop: every connection sends its next request when the previous one has been answered. Latencies are in
 * milliseconds.
 */
export async function closedLoop(endpoint: Endpoint, options: LoadOptions): Promise<Load> {
  const indexes = Array.from({ length: options.connections }, (_, index) => index);
  const connections = await Promise.all(indexes.map((index) => openConnection(endpoint, index)));
  const from = performance.now() + options.warmupSeconds * 1_000;
  const window = { from, to: from + options.seconds * 1_000 };
  const latencies: number[] = [];
  try {
    await Promise.all(
      connections.map((connection, index) => callUntil(connection, options.caller(index), window, latencies)),
    );
  } finally {
    for (const connection of connections) connection.close();
  }
  return {
    perSecond: latencies.length / options.seconds,
    p50: median(latencies),
    p99: percentile(latencies, 0.99),
  };
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

/**
 * Runs an open loop: sends `perSecond` requests per second, each on a free connection. A request is late only if no
 * connection is free.
 */
export async function atRate(
  endpoint: Endpoint,
  options: Omit<LoadOptions, 'warmupSeconds'> & { readonly perSecond: number },
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
