import { setTimeout as delay } from 'node:timers/promises';

/** Settles as `work` does, or rejects after `milliseconds`. */
export async function within<Result>(milliseconds: number, work: Promise<Result>): Promise<Result> {
  const enough = new AbortController();
  const tooLong = delay(milliseconds, undefined, { signal: enough.signal }).then(
    () => Promise.reject(new Error(`no answer within ${milliseconds} ms`)),
    () => new Promise<never>(() => undefined),
  );
  try {
    return await Promise.race([work, tooLong]);
  } finally {
    enough.abort();
  }
}
