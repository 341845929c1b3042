import { createMetrics } from '../../platform/operations/index.ts';
import type { Config } from '../../settings/config.ts';
import { createLog } from '../log.ts';
import { endOnFaults, stopAll, type Undo } from '../stopping.ts';
import { offerMetrics, onNews, onStop, reportListening, tellOthers, waitForStart } from '../supervision/worker.ts';
import { letYoungGenerationGrow } from '../young-generation.ts';
import { startServing } from './start-serving.ts';

const OTHERS = { tell: tellOthers, onNews };

/** Runs a worker until the primary stops it or ends. A worker answers requests, and runs the relay and jobs. */
export async function serveAsWorker(config: Config): Promise<void> {
  const log = createLog(config.logLevel);
  endOnFaults(log);
  const stopped = new Promise<null>((resolve) => onStop(() => resolve(null)));
  const given = await Promise.race([waitForStart(), stopped]);
  if (given === null) return;
  const { sizes, ...start } = given;
  const metrics = createMetrics();
  offerMetrics(() => metrics.registry.getMetricsAsJSON());
  const undo: Undo = [];
  try {
    const greeting = await startServing({
      ...start,
      config: { ...config, ...sizes },
      log,
      metrics,
      undo,
      otherWorkers: OTHERS,
    });
    letYoungGenerationGrow();
    reportListening(greeting);
    await stopped;
  } finally {
    await stopAll({ undo, log });
  }
}
