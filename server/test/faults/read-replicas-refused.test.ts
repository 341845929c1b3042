import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { checkReplicas } from '../../src/cli/commands/doctor-checks.ts';
import { type ConnectionSettings, migrate } from '../../src/platform/postgres/index.ts';
import { openExternalDatabase } from '../../src/process/database/database.ts';
import { loadConfig } from '../../src/settings/config.ts';
import { openPairDatabases } from '../support/pair-databases.ts';
import { type CountedReads, countReads, replicaUrlOf } from '../support/replicas.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { openServerPair, type ServerPair } from '../support/standby.ts';

// F39 (docs/faults.md): the address of a replica leads to a server that must not be read.

let pair: ServerPair;
let stranger: ServerPair;
let standby: ConnectionSettings;
let strangerUrl: string;
let folder: string;
let service: TestService | null = null;
const databases = openPairDatabases();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gh-replicas-'));
  pair = await openServerPair();
  stranger = await openServerPair();
  await migrate({ ...pair.primary() });
  await migrate({ ...stranger.primary() });
  standby = await pair.follow();
  strangerUrl = replicaUrlOf(await stranger.follow());
});
afterAll(async () => {
  await service?.close();
  await databases.close();
  await stranger?.close();
  await pair?.close();
  await rm(folder, { recursive: true, force: true });
});

/** Starts a service with a replica, changes something, and returns how the log is read, and what is said about it. */
async function tryReplica(replicaUrl: string, primary = pair.primary()) {
  const database = databases.databaseOf(primary);
  const counted: CountedReads = countReads();
  service = await startTestService({ database, replicaUrl, metrics: counted.metrics });
  try {
    const { id } = await service.org.createUser();
    const targets = (await service.org.systemLog()).flatMap(({ target }) => target ?? []);
    expect(targets.map((target: { id: string }) => target.id)).toContain(id);
    const { connection, db } = database;
    const config = { ...loadConfig({}), databaseReplicaUrl: replicaUrl };
    const doctor = await checkReplicas({ config, connection, db });
    return { reads: Object.keys(await counted.taken()), doctor, log: service.logged() };
  } finally {
    await service.close();
    service = null;
  }
}

const saying = (says: string, reason: string) => ({
  reads: [`primary ${reason}`],
  doctor: { state: 'warn', detail: `the local socket/gatehouse ${says}` },
  log: expect.stringContaining(`the replica ${says}: the System Log is read from the primary`),
});

async function writeMuch(connection: ConnectionSettings): Promise<void> {
  const pool = databases.newPool(connection);
  for (let count = 0; count < 8; count += 1) {
    // This does not commit, so it does not wait for a standby.
    await pool.query(`select pg_logical_emit_message(false, 'test', '')`);
    await pool.query('select pg_switch_wal()');
  }
}

it('a standby of another cluster, and the primary itself, are refused', async () => {
  // The standby has the same timeline, and more WAL.
  await writeMuch(stranger.primary());
  expect(await tryReplica(strangerUrl)).toMatchObject(saying('belongs to another cluster than the primary', 'cluster'));
  expect(await tryReplica(replicaUrlOf(pair.primary()))).toMatchObject(saying('is not in recovery', 'promoted'));
});

it('another database of the same cluster is refused', async () => {
  await databases.newPool(pair.primary()).query('create database twin');
  await migrate({ ...pair.primary(), database: 'twin' });
  const url = replicaUrlOf(standby).replace('/gatehouse?', '/twin?');
  const says = 'has another database than the primary in its URL';
  const found = await tryReplica(url);
  expect(found).toMatchObject({ reads: ['primary database'], log: expect.stringContaining(says) });
  expect(found.doctor).toEqual({ state: 'warn', detail: `the local socket/twin ${says}` });
});

it('a role that may not ask whom a standby follows reads from the primary, until it may', async () => {
  const { pool } = databases.databaseOf(pair.primary());
  await pool.query('create role reader login');
  await pool.query('grant select on all tables in schema public to reader');
  const url = replicaUrlOf(standby, 'reader');
  const says = 'does not tell whom it follows: grant pg_monitor to the role, on the primary';
  expect(await tryReplica(url)).toMatchObject(saying(says, 'rights'));
  await pool.query('grant pg_monitor to reader');
  const last = await tryReplica(url);
  expect(last.doctor).toEqual({ state: 'ok', detail: expect.stringMatching(/is \d+ bytes behind$/) });
  expect(last.log).not.toContain('is read from the primary');
});

it('with asynchronous commits, the primary shows what its WAL may lack, so that no replica is read', async () => {
  const own = { ...pair.primary(), options: '-c synchronous_commit=off' };
  const says = 'cannot be used with synchronous_commit = off';
  expect(await tryReplica(replicaUrlOf(standby), own)).toMatchObject(saying(says, 'asynchronous'));
});

it("a former primary is refused, also as a standby whose WAL goes further than the primary's", async () => {
  await pair.stopPrimary();
  await pair.promote();
  await pair.startPrimary();
  await writeMuch(pair.primary());
  expect(await tryReplica(replicaUrlOf(pair.primary()), standby)).toMatchObject(
    saying('is not in recovery', 'promoted'),
  );
  await pair.stopPrimary();
  const rejoined = await pair.rejoin();
  const wal = `select (pg_last_wal_replay_lsn() - '0/0')::bigint as replayed, pg_is_in_recovery() as is`;
  const { rows } = await databases.newPool({ ...rejoined, isReplica: true }).query(wal);
  const ahead = `select (pg_current_wal_flush_lsn() - '0/0')::bigint < $1 as less`;
  expect(rows[0]).toMatchObject({ is: true });
  expect((await databases.newPool(standby).query(ahead, [rows[0].replayed])).rows).toEqual([{ less: true }]);
  expect(await tryReplica(replicaUrlOf(rejoined), standby)).toMatchObject(
    saying('does not stream from the primary, or from a standby of it', 'timeline'),
  );
});

it('a start with replicas of a Citus cluster is refused', async () => {
  // The name of the extension is all that a start looks at.
  const pool = databases.newPool(stranger.primary());
  await pool.query(`update pg_extension set extname = 'citus' where extname = 'plpgsql'`);
  const config = loadConfig({
    GATEHOUSE_DATABASE_URL: replicaUrlOf(stranger.primary()),
    GATEHOUSE_DATABASE_REPLICA_URL: strangerUrl,
    GATEHOUSE_MASTER_KEY: Buffer.alloc(32).toString('base64'),
    GATEHOUSE_DATA_DIR: folder,
  });
  const open = () => openExternalDatabase(config, config.databaseUrl ?? '');
  await expect(open()).rejects.toThrow(/is a Citus cluster, for which GATEHOUSE_DATABASE_REPLICA_URL can't be used/);
  await expect(
    openExternalDatabase({ ...config, databaseReplicaUrl: null }, config.databaseUrl ?? ''),
  ).resolves.toBeDefined();
});
