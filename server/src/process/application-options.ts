import type { Logger } from 'pino';
import type { ApplicationOptions } from '../app/application.ts';
import { poolSizesOf } from '../app/pool-sizes.ts';
import { checkInstallation, openMasterKey, readEntityTagHistory } from '../installation/installation.ts';
import { readClockDifferenceMilliseconds } from '../installation/installation-store.ts';
import { type Clock, createFollowingClock } from '../kernel/clock.ts';
import type { Geography } from '../platform/geography/index.ts';
import type { Metrics } from '../platform/operations/index.ts';
import { type ConnectionSettings, createPool, readerOver, serversOf } from '../platform/postgres/index.ts';
import type { Config } from '../settings/config.ts';
import { withKnownServer } from './database/known-server.ts';

/** A worker has not met the servers of an external database yet, and its primary may have met them long ago. */
async function currentConnection(given: ConnectionSettings, config: Config): Promise<ConnectionSettings> {
  if (config.databaseUrl === null) return given;
  const connection = await withKnownServer(given, config.dataDirectory);
  // If there is no primary, the first query says so.
  await serversOf(connection)
    .search()
    .catch(() => undefined);
  return connection;
}

/** Makes the composition root's options, after checking the namespace word and the master key against the database. */
export async function applicationOptions(given: {
  config: Config;
  connection: ConnectionSettings;
  log: Logger;
  clock?: Clock;
  metrics?: Metrics;
  geography?: Geography | undefined;
}): Promise<ApplicationOptions> {
  const { config, geography, log, metrics, clock } = given;
  const connection = await currentConnection(given.connection, config);
  const following = createFollowingClock();
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
    following.follow(await readClockDifferenceMilliseconds(db));
    return {
      config,
      connection,
      poolSizes: poolSizesOf(config.databasePoolSize),
      clock: clock ?? following,
      masterKey,
      log,
      entityTagsEmittedSince: await readEntityTagHistory(db, (clock ?? following).now()),
      ...(clock === undefined ? { followingClock: following } : {}),
      ...(metrics === undefined ? {} : { metrics }),
      ...(geography === undefined ? {} : { geography }),
    };
  } finally {
    await pool.end();
  }
}
