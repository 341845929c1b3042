import type { JobRunner } from '../../platform/jobs/index.ts';
import { readerOver } from '../../platform/postgres/index.ts';
import { createSinkEngine, latestCheckpoint } from '../../system-log/index.ts';
import type { ApplicationOptions, Infrastructure } from '../infrastructure.ts';
import { type SinkProvidersOptions, sinkProvidersOf } from './sink-providers.ts';

type Given = 'aws' | 'baseDomain' | 'dataDirectory' | 'db' | 'masterKey' | 'namespace';

/** Runs the deliveries of events. It uses the log's own connections, so that a slow target never delays a sign-in. */
export function createLogSinks(
  options: ApplicationOptions,
  { databaseLog, logPool, work }: Infrastructure,
  ports: Omit<SinkProvidersOptions, Given>,
): JobRunner {
  const { aws, baseDomain, clock, dataDirectory, masterKey, metrics, namespace } = options;
  const db = readerOver(logPool);
  return createSinkEngine({
    db,
    work,
    clock,
    namespace,
    providers:
      options.sinkProviders ?? sinkProvidersOf({ ...ports, aws, baseDomain, dataDirectory, db, masterKey, namespace }),
    latestCheckpoint: (orgId, position) => latestCheckpoint(db, orgId, position),
    ...(metrics === undefined ? {} : { onSent: metrics.eventsSent }),
    onFinished: (report) => {
      metrics?.jobFinished(report);
      if ('error' in report) databaseLog.failed(report.error, 'a sink of the log could not be served');
    },
    onError: (error) => databaseLog.failed(error, 'the sinks of the log could not be read'),
  });
}
