import type { JobRunner } from '../../platform/jobs/index.ts';
import { readerOver } from '../../platform/postgres/index.ts';
import { type Config } from '../../settings/config.ts';
import { connectionsOver, createSinkEngine, latestCheckpoint } from '../../system-log/index.ts';
import type { ApplicationOptions, Infrastructure } from '../infrastructure.ts';
import { type SinkProvidersOptions, sinkProvidersOf } from './sink-providers.ts';

type Given = 'aws' | 'baseDomain' | 'dataDirectory' | 'db' | 'masterKey' | 'namespace';

function awsAccountOf(config: Config): SinkProvidersOptions['aws'] {
  const { awsAccessKeyId: accessKeyId, awsSecretAccessKey: secretAccessKey } = config;
  if (accessKeyId === null || secretAccessKey === null) return null;
  const { awsEventBridgeUrl: eventBridgeUrl, awsSessionToken: sessionToken } = config;
  return { accessKeyId, secretAccessKey, sessionToken, eventBridgeUrl };
}

/** The runner reads through the log's pool, so that its reads do not delay sign-ins. */
export function createLogSinks(
  options: ApplicationOptions,
  { clock, databaseLog, logPool, masterKey, namespace, work }: Infrastructure,
  ports: Omit<SinkProvidersOptions, Given>,
): JobRunner {
  const { config, metrics } = options;
  const { baseDomain, dataDirectory } = config;
  const db = readerOver(logPool);
  return createSinkEngine({
    db,
    connections: connectionsOver(logPool),
    work,
    clock,
    namespace,
    providers:
      options.sinkProviders ??
      sinkProvidersOf({ ...ports, aws: awsAccountOf(config), baseDomain, dataDirectory, db, masterKey, namespace }),
    latestCheckpoint: (orgId, position) => latestCheckpoint(db, orgId, position),
    ...(metrics === undefined ? {} : { onSent: metrics.eventsSent }),
    onFinished: (report) => {
      metrics?.jobFinished(report);
      if ('error' in report) databaseLog.failed(report.error, 'a sink of the log could not be served');
    },
    onError: (error) => databaseLog.failed(error, 'the sinks of the log could not be read'),
  });
}
