import { setTimeout as delay } from 'node:timers/promises';
import type { RelayWatch } from '../../directory-transfer/index.ts';

/** An import pauses when more than this many events are waiting for the relay. */
const MOST_WAITING = 50_000;
/** A paused import continues when at most this many events are waiting for the relay. */
const FEW_WAITING = 25_000;
const LOOK_MILLISECONDS = 1_000;

/**
 * Creates a function that delays an import while too many events wait for a running relay. If `look` fails, the import
 * continues.
 */
export function createImportThrottle(
  look: () => Promise<RelayWatch>,
  pauseMilliseconds: number = LOOK_MILLISECONDS,
): () => Promise<void> {
  let lookedAt = Number.NEGATIVE_INFINITY;
  let waiting: Promise<void> = Promise.resolve();
  const untilFew = async (): Promise<void> => {
    for (let bound = MOST_WAITING; ; bound = FEW_WAITING) {
      const { isAlive, waiting: events } = await look();
      if (!isAlive || events <= bound) return;
      await delay(pauseMilliseconds);
    }
  };
  return () => {
    if (performance.now() - lookedAt < pauseMilliseconds) return waiting;
    lookedAt = performance.now();
    waiting = waiting.then(untilFew).catch(() => undefined);
    return waiting;
  };
}
