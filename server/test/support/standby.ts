import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, chmod, chown, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import {
  binaryHomes,
  provideBinaries,
  resolveBinaryPackage,
} from '../../src/platform/postgres/embedded/cluster/binaries.ts';
import { clusterUser } from '../../src/platform/postgres/embedded/cluster/cluster-user.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/platform/postgres/embedded/index.ts';
import { runProgram, spawnOptions } from '../../src/platform/postgres/embedded/postmaster/run-program.ts';
import { wrapCommand } from '../../src/platform/postgres/embedded/postmaster/wrapper.ts';
import type { ConnectionSettings } from '../../src/platform/postgres/index.ts';

/** A PostgreSQL server, and a standby that is a copy of it. */
export interface ServerPair {
  readonly primary: () => ConnectionSettings;
  /**
   * Stops the primary, copies it, starts the copy as a standby, and starts the primary again. The standby gets no
   * updates after the copy.
   */
  readonly copy: () => Promise<ConnectionSettings>;
  /** Does the same, but the standby follows the primary, and commits wait for it. */
  readonly follow: () => Promise<ConnectionSettings>;
  readonly stopPrimary: () => Promise<void>;
  readonly startPrimary: () => Promise<void>;
  readonly stopStandby: () => Promise<void>;
  /** Starts the standby again. Resolves when commits wait for it. */
  readonly startStandby: () => Promise<void>;
  readonly promote: () => Promise<void>;
  /** Starts the stopped primary as a standby of the promoted one, although it has WAL that the promoted one lacks. */
  readonly rejoin: () => Promise<ConnectionSettings>;
  readonly close: () => Promise<void>;
}

const READY_MILLISECONDS = 60_000;

async function untilItAnswers(connection: ConnectionSettings): Promise<void> {
  for (const end = Date.now() + READY_MILLISECONDS; ; await delay(20)) {
    const client = new pg.Client({ ...connection });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return;
    } catch (error) {
      if (Date.now() > end) throw error;
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}

async function ask(connection: ConnectionSettings, text: string): Promise<readonly unknown[]> {
  const client = new pg.Client({ ...connection });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows.flatMap(Object.values);
  } finally {
    await client.end();
  }
}

async function until(connection: ConnectionSettings, question: string): Promise<void> {
  for (const end = Date.now() + READY_MILLISECONDS; ; await delay(20)) {
    if ((await ask(connection, question))[0] === true) return;
    if (Date.now() > end) throw new Error(`never true: ${question}`);
  }
}

interface Standby {
  readonly connection: ConnectionSettings;
  readonly start: () => void;
  readonly stop: () => Promise<void>;
}

/** A query on the standby that holds up the replay of the WAL is soon cancelled. */
const FOLLOWING = [
  'wal_retrieve_retry_interval=100ms',
  'wal_receiver_status_interval=1s',
  'max_standby_streaming_delay=100ms',
];

/** Makes the cluster of a folder a standby of `source`, or one that gets no updates. */
async function standbyIn(
  root: string,
  directory: string,
  primary: ConnectionSettings,
  source: ConnectionSettings | null,
): Promise<Standby> {
  const { uid, gid } = await stat(directory);
  const signal = join(directory, 'standby.signal');
  const sockets = join(root, `socket-${basename(directory)}`);
  await writeFile(signal, '');
  await mkdir(sockets);
  for (const path of [signal, sockets]) await chown(path, uid, gid);
  const user = clusterUser(directory);
  const homes = binaryHomes(join(root, 'outside'), root, user);
  const binaries = await provideBinaries(await resolveBinaryPackage(), user, homes, () => undefined);
  const following =
    source === null
      ? []
      : [`primary_conninfo=host=${source.host} port=${source.port} user=${source.user}`, ...FOLLOWING];
  const place = [`unix_socket_directories=${sockets}`, 'listen_addresses=', 'port=5432'];
  const options = [...place, 'hot_standby=on', 'fsync=off', ...following];
  const given = [...options, 'max_connections=100'].flatMap((option) => ['-c', option]);
  const [file, ...rest] = wrapCommand(binaries, directory, [binaries.postgres, '-D', directory, ...given]);
  let stop = () => Promise.resolve();
  return {
    connection: { ...primary, host: sockets, port: 5432 },
    start: () => {
      const child = spawn(file, rest, { ...spawnOptions(user), stdio: ['pipe', 'ignore', 'ignore'] });
      const ended = once(child, 'exit');
      stop = async () => {
        // When the pipe closes, the wrapper requests a fast shutdown of PostgreSQL.
        child.stdin?.end();
        await ended;
      };
    },
    stop: () => stop(),
  };
}

const admitReplication = (directory: string): Promise<void> =>
  appendFile(join(directory, 'pg_hba.conf'), 'local replication all trust\n');

async function copyOf({ clusterDirectory }: EmbeddedPostgres): Promise<string> {
  const directory = join(dirname(clusterDirectory), 'standby');
  const copied = await runProgram('cp', ['-a', clusterDirectory, directory], null);
  if (copied.status !== 0) throw new Error(copied.output);
  // The copy may become a primary that others follow.
  await admitReplication(directory);
  return directory;
}

const IS_FOLLOWED = `select exists (select from pg_stat_replication where sync_state = 'sync')`;

/** Lets standbys connect to the primary, and makes its commits wait for one of them. */
async function admitStandby({ clusterDirectory, connection }: EmbeddedPostgres): Promise<void> {
  await admitReplication(clusterDirectory);
  await ask(connection, `alter system set synchronous_standby_names = '*'`);
  await ask(connection, 'select pg_reload_conf()');
  await until(connection, IS_FOLLOWED);
}

export async function openServerPair(): Promise<ServerPair> {
  // The path must be short, because the path of a socket may have only about a hundred characters.
  const root = await mkdtemp(join(tmpdir(), 'gh-pair-'));
  await chmod(root, 0o755);
  const start = () =>
    startEmbeddedPostgres({
      dataDirectory: join(root, 'data'),
      outsideDirectory: join(root, 'outside'),
      durability: 'off',
      maxConnections: 100,
      log: () => undefined,
    });
  let server = await start();
  let standby: Standby | null = null;
  let rejoined: Standby | null = null;
  const duplicate = async (follows: boolean): Promise<ConnectionSettings> => {
    await server.stop();
    standby = await standbyIn(root, await copyOf(server), server.connection, follows ? server.connection : null);
    standby.start();
    server = await start();
    await untilItAnswers(standby.connection);
    if (follows) await admitStandby(server);
    return standby.connection;
  };
  return {
    primary: () => server.connection,
    copy: () => duplicate(false),
    follow: () => duplicate(true),
    stopPrimary: () => server.stop(),
    startPrimary: async () => {
      server = await start();
    },
    stopStandby: async () => standby?.stop(),
    startStandby: async () => {
      standby?.start();
      await until(server.connection, IS_FOLLOWED);
    },
    promote: async () => {
      await ask({ ...standby?.connection }, 'select pg_promote()');
    },
    rejoin: async () => {
      rejoined = await standbyIn(root, server.clusterDirectory, server.connection, standby?.connection ?? null);
      rejoined.start();
      await untilItAnswers(rejoined.connection);
      return rejoined.connection;
    },
    close: async () => {
      await rejoined?.stop();
      await standby?.stop();
      await server.stop();
      await rm(root, { recursive: true, force: true });
    },
  };
}
