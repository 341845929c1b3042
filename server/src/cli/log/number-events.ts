import { setTimeout as delay } from 'node:timers/promises';
import type { Application } from '../../app/application.ts';
import { readRelayWatch } from '../../directory-transfer/index.ts';
import { readLogBacklog } from '../../platform/operations/index.ts';
import { progressBar } from '../output/progress-bar.ts';

const NUMBERED_MILLISECONDS = 200;
const PATIENCE_MILLISECONDS = 60_000;

/** Runs the relay if no server is running, so that imported events need not wait for a server to start. */
export async function numberEvents(application: Application, name: string): Promise<void> {
  if ((await readRelayWatch(application.db)).isAlive) return;
  application.relay.start();
  const bar = progressBar(name, 'events numbered:');
  let most = 0;
  let least = Number.POSITIVE_INFINITY;
  let movedAt = performance.now();
  // The loop also ends when the relay has made no progress for a minute.
  while (performance.now() - movedAt < PATIENCE_MILLISECONDS) {
    const { events } = await readLogBacklog(application.db);
    if (events === 0) break;
    if (events < least) movedAt = performance.now();
    [most, least] = [Math.max(most, events), Math.min(least, events)];
    bar.show(most - events, most, most - events);
    await delay(NUMBERED_MILLISECONDS);
  }
  bar.end();
}
