import { setTimeout as delay } from 'node:timers/promises';
import type { RelayWatch } from '../../directory-transfer/index.ts';

/** The numbers of waiting events at which an import pauses and continues. Events of requests wait in the same queue. */
const MOST_WAITING = 50_000;
const FEW_WAITING = 25_000;
const LOOK_MILLISECONDS = 1_000;

/** Delays an import while too many events wait for a running relay. A failed check of the relay delays nobody. */
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
