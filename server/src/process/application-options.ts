import type { Logger } from 'pino';
import type { ApplicationOptions } from '../app/application.ts';
import { checkInstallation, openMasterKey, readEntityTagHistory } from '../installation/installation.ts';
import { type Clock, systemClock } from '../kernel/clock.ts';
import type { Geography } from '../platform/geography/index.ts';
import type { Metrics } from '../platform/operations/index.ts';
import { type ConnectionSettings, createPool, readerOver } from '../platform/postgres/index.ts';
import type { Config } from '../settings/config.ts';

/** Returns the size of the request pool, which leaves some connections for the relay and the log. */
const poolShare = (connections: number): number => Math.max(2, Math.floor((connections - 2) * 0.8));

/**
 * Makes the composition root's options. Throws InstallationError if the namespace word or the master key does not match
 * the database.
 */
export async function applicationOptions(given: {
  config: Config;
  connection: ConnectionSettings;
  log: Logger;
  clock?: Clock;
  metrics?: Metrics;
  /** Set by processes that answer requests. */
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
      config,
      connection,
      databasePoolSize: poolShare(config.databasePoolSize),
      clock,
      masterKey,
      log,
      entityTagsEmittedSince: await readEntityTagHistory(db, clock.now()),
      ...(metrics === undefined ? {} : { metrics }),
      ...(geography === undefined ? {} : { geography }),
    };
  } finally {
    await pool.end();
  }
}
