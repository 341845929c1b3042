import type { Logger } from 'pino';
import type { ApplicationOptions } from '../app/application.ts';
import { checkInstallation, openMasterKey, readEntityTagHistory } from '../installation/installation.ts';
import { type Clock, systemClock } from '../kernel/clock.ts';
import { namespaceOf } from '../kernel/words/namespace.ts';
import type { Geography } from '../platform/geography/index.ts';
import type { Metrics } from '../platform/operations/index.ts';
import { type ConnectionSettings, createPool, readerOver } from '../platform/postgres/index.ts';
import { type Config, isAtLocalhost, showsMails } from '../settings/config.ts';

/** An address prefix may ask this much of public routes and of the door; real clients stay far below. */
const ADDRESS_LIMIT_PER_MINUTE = 60_000;

/** Ten a second: hosts that are served count once, so that more are names that are made up. */
const HOST_LIMIT_PER_MINUTE = 600;

/** Three pools together are what GATEHOUSE_DATABASE_POOL_SIZE allows: the relay's 2, the log's a quarter of ours. */
const poolShare = (connections: number): number => Math.max(2, Math.floor((connections - 2) * 0.8));

/** Null: this service has no AWS account. */
function awsSettings(config: Config): ApplicationOptions['aws'] {
  const { awsAccessKeyId: accessKeyId, awsSecretAccessKey: secretAccessKey } = config;
  if (accessKeyId === null || secretAccessKey === null) return null;
  const { awsEventBridgeUrl: eventBridgeUrl, awsSessionToken: sessionToken } = config;
  return { accessKeyId, secretAccessKey, sessionToken, eventBridgeUrl };
}

const cidrText = ({ address, prefixLength }: Config['trustedProxies'][number]): string => `${address}/${prefixLength}`;

/**
 * Settings and database to what the composition root takes. Checks namespace word and master key against the database
 * on the way: nothing of the application runs with wrong ones.
 */
export async function applicationOptions(given: {
  config: Config;
  connection: ConnectionSettings;
  log: Logger;
  clock?: Clock;
  metrics?: Metrics;
  /** A process that answers requests opens the operator's data before anything else. */
  geography?: Geography | undefined;
}): Promise<ApplicationOptions> {
  const { config, connection, geography, log, metrics, clock = systemClock } = given;
  const masterKey = await openMasterKey(config);
  const pool = createPool({
    connection,
    maximumConnections: 1,
    applicationName: 'gatehouse-check',
    statementTimeoutMilliseconds: 10_000,
  });
  try {
    const db = readerOver(pool);
    await checkInstallation(db, config, masterKey);
    return {
      connection,
      databasePoolSize: poolShare(config.databasePoolSize),
      clock,
      namespace: namespaceOf(config.namespace),
      masterKey,
      log,
      publicPort: config.publicPort,
      baseDomain: config.baseDomain,
      isAtLocalhost: isAtLocalhost(config),
      tlsProxies: config.trustedProxies.map(cidrText),
      outboundNetworks: config.outboundNetworks.map(cidrText),
      rateLimitPerMinute: config.rateLimitPerMinute,
      hostLimitPerMinute: HOST_LIMIT_PER_MINUTE,
      addressLimitPerMinute: ADDRESS_LIMIT_PER_MINUTE,
      passwordHashWorkers: config.passwordHashWorkers,
      logBacklogBounds: { events: config.logBacklogEvents, seconds: config.logBacklogSeconds },
      logQueryTimeoutMilliseconds: config.logQueryTimeoutSeconds * 1_000,
      logFilesMegabytes: config.logFilesMegabytes,
      aws: awsSettings(config),
      dataDirectory: config.dataDirectory,
      smtpUrl: config.smtpUrl,
      mailFrom: config.mailFrom,
      showsMails: showsMails(config),
      entityTagsEmittedSince: await readEntityTagHistory(db, clock.now()),
      ...(metrics === undefined ? {} : { metrics }),
      ...(geography === undefined ? {} : { geography }),
    };
  } finally {
    await pool.end();
  }
}
