import { setTimeout as delay } from 'node:timers/promises';

/** The result of `work`, or a rejection when it takes longer: health checks must get an answer in any case. */
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
