import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
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

/** A PostgreSQL server, and a standby that is a copy of it. The standby gets no updates after the copy. */
export interface ServerPair {
  readonly primary: () => ConnectionSettings;
  /** Stops the primary, copies it, starts the copy as a standby, and starts the primary again. */
  readonly copy: () => Promise<ConnectionSettings>;
  readonly promote: () => Promise<void>;
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

interface Standby {
  readonly connection: ConnectionSettings;
  readonly stop: () => Promise<void>;
}

async function startStandby(root: string, primary: EmbeddedPostgres): Promise<Standby> {
  const directory = join(dirname(primary.clusterDirectory), 'standby');
  const copied = await runProgram('cp', ['-a', primary.clusterDirectory, directory], null);
  if (copied.status !== 0) throw new Error(copied.output);
  const { uid, gid } = await stat(primary.clusterDirectory);
  const signal = join(directory, 'standby.signal');
  const sockets = join(root, 'socket');
  await writeFile(signal, '');
  await mkdir(sockets);
  for (const path of [signal, sockets]) await chown(path, uid, gid);
  const user = clusterUser(directory);
  const homes = binaryHomes(join(root, 'outside'), root, user);
  const binaries = await provideBinaries(await resolveBinaryPackage(), user, homes, () => undefined);
  const options = [`unix_socket_directories=${sockets}`, 'listen_addresses=', 'hot_standby=on', 'fsync=off'];
  const given = [...options, 'max_connections=100'].flatMap((option) => ['-c', option]);
  const [file, ...rest] = wrapCommand(binaries, directory, [binaries.postgres, '-D', directory, ...given]);
  const child = spawn(file, rest, { ...spawnOptions(user), stdio: ['pipe', 'ignore', 'ignore'] });
  const ended = once(child, 'exit');
  const connection = { ...primary.connection, host: sockets, port: 5432 };
  return {
    connection,
    stop: async () => {
      // When the pipe closes, the wrapper requests a fast shutdown of PostgreSQL.
      child.stdin?.end();
      await ended;
    },
  };
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
  return {
    primary: () => server.connection,
    copy: async () => {
      await server.stop();
      standby = await startStandby(root, server);
      server = await start();
      await untilItAnswers(standby.connection);
      return standby.connection;
    },
    promote: async () => {
      const client = new pg.Client({ ...standby?.connection });
      await client.connect();
      await client.query('select pg_promote()');
      await client.end();
    },
    close: async () => {
      await standby?.stop();
      await server.stop();
      await rm(root, { recursive: true, force: true });
    },
  };
}
