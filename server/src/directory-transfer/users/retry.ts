import { setTimeout as delay } from 'node:timers/promises';
import { ApiError } from '../../kernel/errors/errors.ts';

/** These pauses cover a restart of the database. */
const PAUSES_MILLISECONDS = [500, 1_000, 2_000, 5_000, 10_000, 15_000, 30_000, 30_000] as const;

const isPassing = (error: unknown): boolean => error instanceof ApiError && error.status === 503;

/**
 * Repeats `use` after pauses, up to once per pause, while it fails with 503. `use` must be safe to repeat, because a
 * failed attempt may have been committed.
 */
export async function retryWhileUnavailable<Result>(
  use: () => Promise<Result>,
  pausesMilliseconds: readonly number[] = PAUSES_MILLISECONDS,
): Promise<Result> {
  for (const pause of pausesMilliseconds) {
    try {
      return await use();
    } catch (error) {
      if (!isPassing(error)) throw error;
    }
    await delay(pause);
  }
  return use();
}
