import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EmbeddedPostgres } from './index.ts';
import { postmasterPid } from './postmaster/leftover-postmaster.ts';
import { ownerOf } from './postmaster/owner-lock.ts';
import { isAlive, runsOnCluster, waitUntil } from './postmaster/processes.ts';
import { type EmbeddedPostgresOptions, startEmbeddedPostgres } from './start-embedded-postgres.ts';

const isRoot = process.getuid?.() === 0;
const isLinux = process.platform === 'linux';
const running = new Set<EmbeddedPostgres>();
let root = '';

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'gh-embedded-')));
  await chmod(root, 0o755);
});
afterAll(async () => {
  for (const server of running) await server.stop();
  await rm(root, { recursive: true, force: true });
});

const settings = (name: string): EmbeddedPostgresOptions => ({
  dataDirectory: join(root, name),
  log: () => undefined,
  durability: 'off',
  maxConnections: 20,
  outsideDirectory: join(root, 'outside'),
});

async function start(name: string, more: Partial<EmbeddedPostgresOptions> = {}): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({ ...settings(name), ...more });
  running.add(server);
  return server;
}

async function stop(server: EmbeddedPostgres): Promise<void> {
  running.delete(server);
  await server.stop();
}

async function query(server: EmbeddedPostgres, text: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ ...server.connection });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>({ text })).rows;
  } finally {
    await client.end();
  }
}

const cluster = (name: string): string => join(root, name, 'postgres');

const rows = async (server: EmbeddedPostgres): Promise<unknown> => query(server, 'select id from kept order by id');

const pidOf = (server: EmbeddedPostgres): number => {
  if (server.pid === null) throw new Error('PostgreSQL does not run');
  return server.pid;
};

/** Starts a server in a process that the test can kill. That process prints the pid of the postmaster. */
function spawnServer(name: string) {
  const module = new URL('./start-embedded-postgres.ts', import.meta.url).href;
  const options = JSON.stringify({ ...settings(name), log: undefined });
  const script = `import { startEmbeddedPostgres } from ${JSON.stringify(module)};
    const server = await startEmbeddedPostgres({ ...${options}, log() {} });
    console.log(server.pid);`;
  return spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

async function startInChild(name: string) {
  const child = spawnServer(name);
  const [line] = await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
  if (!Buffer.isBuffer(line)) throw new Error(`the child ended with status ${String(line)}`);
  return { child, postmaster: Number(line.toString()) };
}

async function killChild(child: ReturnType<typeof spawnServer>): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'exit');
}

async function sessionOf(pid: number): Promise<number | null> {
  const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  return status === null ? null : Number(status.slice(status.lastIndexOf(')') + 2).split(' ')[3]);
}

describe('a first start', () => {
  let server: EmbeddedPostgres;
  beforeAll(async () => {
    server = await start('first', { durability: 'full' });
  });

  test('makes the database in UTF-8 with the builtin C.UTF-8 collation and checksums', async () => {
    const made = `select pg_encoding_to_char(encoding) as encoding, datlocprovider as provider, datlocale as locale
      from pg_database where datname = current_database()`;
    expect(server.connection.database).toBe('gatehouse');
    expect(await query(server, made)).toEqual([{ encoding: 'UTF8', provider: 'b', locale: 'C.UTF-8' }]);
    const inForce = `select name || '=' || setting as setting from pg_settings where name in
      ('data_checksums', 'data_sync_retry', 'fsync', 'jit', 'max_connections', 'synchronous_commit') order by name`;
    expect((await query(server, inForce)).map((row) => Object.values(row).join())).toEqual(
      ['data_checksums=on', 'data_sync_retry=off', 'fsync=on', 'jit=off', 'max_connections=20'].concat(
        'synchronous_commit=on',
      ),
    );
  });

  test('listens on a socket in a folder of mode 0700 and on no network address', async () => {
    const { host } = server.connection;
    expect((await stat(host)).mode & 0o777).toBe(0o700);
    expect(Buffer.byteLength(join(host, '.s.PGSQL.5432'))).toBeLessThan(100);
    expect(await query(server, `select current_setting('listen_addresses') as addresses`)).toEqual([{ addresses: '' }]);
  });

  test.runIf(isRoot && isLinux)('runs as an unprivileged user that owns the cluster', async () => {
    const status = await readFile(`/proc/${pidOf(server)}/status`, 'utf8');
    const uid = Number(/^Uid:\s+(\d+)/m.exec(status)?.[1]);
    expect(uid).not.toBe(0);
    expect((await stat(server.clusterDirectory)).uid).toBe(uid);
    expect((await stat(server.clusterDirectory)).mode & 0o777).toBe(0o700);
  });

  test('refuses a second start on the folder, naming the pid, also by another path', async () => {
    await expect(start('first')).rejects.toThrow(`pid ${process.pid}`);
    await symlink(join(root, 'first'), join(root, 'alias'));
    await expect(start('alias')).rejects.toThrow('is in use');
    expect(await query(server, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  test('stops and starts again with what it held; the socket folder goes', async () => {
    await query(server, 'create table kept (id int); insert into kept values (1)');
    const pid = pidOf(server);
    await stop(server);
    expect(isAlive(pid)).toBe(false);
    await expect(stat(server.connection.host)).rejects.toThrow('ENOENT');
    const again = await start('first', { durability: 'full' });
    expect(await rows(again)).toEqual([{ id: 1 }]);
    await stop(again);
  });
});

async function startCounted() {
  const restarts: number[] = [];
  const server = await start('postmaster', { onRestart: ({ pid }) => restarts.push(pid) });
  return { server, restarts };
}

async function expectRestart(server: EmbeddedPostgres, restarts: readonly number[]): Promise<void> {
  expect(await waitUntil(() => restarts.length === 1, 10_000)).toBe(true);
  expect(server.pid).toBe(restarts[0]);
  expect(await rows(server)).toEqual([{ id: 1 }]);
  await stop(server);
}

describe('kill -9', () => {
  test('during the initialisation: the next start makes the cluster', async () => {
    const child = spawnServer('killed');
    const isUnderWay = (): boolean =>
      existsSync(join(root, 'killed')) &&
      readdirSync(join(root, 'killed')).some((name) => name.includes('.incomplete-'));
    expect(await waitUntil(isUnderWay, 10_000)).toBe(true);
    await killChild(child);
    expect(existsSync(cluster('killed'))).toBe(false);
    const server = await start('killed');
    expect(await query(server, 'select 1 as one')).toEqual([{ one: 1 }]);
    await stop(server);
  });

  test('of the postmaster: it comes back by itself with every commit, and says so', async () => {
    const { server, restarts } = await startCounted();
    await query(server, 'create table kept (id int); insert into kept values (1)');
    const first = pidOf(server);
    process.kill(first, 'SIGKILL');
    await expectRestart(server, restarts);
    expect(restarts).not.toContain(first);
  });

  test('of a backend: the server comes back by itself', async () => {
    const { server, restarts } = await startCounted();
    const client = new Client({ ...server.connection });
    client.on('error', () => undefined);
    await client.connect();
    const [{ pid } = { pid: 0 }] = (await client.query<{ pid: number }>('select pg_backend_pid() as pid')).rows;
    process.kill(pid, 'SIGKILL');
    await expectRestart(server, restarts);
  });

  test.runIf(isLinux)('of the wrapper: the server it left is replaced, never doubled', async () => {
    const { server, restarts } = await startCounted();
    const first = pidOf(server);
    const wrapper = Number((await readFile(`/proc/${first}/stat`, 'utf8')).split(') ')[1]?.split(' ')[1]);
    process.kill(wrapper, 'SIGKILL');
    await expectRestart(server, restarts);
    expect(runsOnCluster(first, server.clusterDirectory)).toBe(false);
  });

  test('of the owner: PostgreSQL stops by itself, and the folder is free', async () => {
    const { child, postmaster } = await startInChild('postmaster');
    await expect(start('postmaster')).rejects.toThrow(`pid ${child.pid}`);
    await killChild(child);
    expect(await waitUntil(() => !runsOnCluster(postmaster, cluster('postmaster')), 10_000)).toBe(true);
    const server = await start('postmaster');
    expect(await rows(server)).toEqual([{ id: 1 }]);
    await stop(server);
  });

  test.runIf(isLinux)('of owner, wrapper and watcher: the orphan is stopped by the next start', async () => {
    const { child, postmaster } = await startInChild('postmaster');
    // The child is suspended, so that it restarts nothing between the kills.
    child.kill('SIGSTOP');
    const session = await sessionOf(postmaster);
    const others: number[] = [];
    for (const pid of (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry)).map(Number)) {
      if ((await sessionOf(pid)) === session && !runsOnCluster(pid, cluster('postmaster'))) others.push(pid);
    }
    // The three processes are the shell, the watching shell and its `cat`. They are killed in this order, because the
    // watching shell would stop the server when `cat` ends.
    expect(others).toHaveLength(3);
    for (const pid of others.sort((one, other) => one - other)) process.kill(pid, 'SIGKILL');
    await killChild(child);
    expect(runsOnCluster(postmaster, cluster('postmaster'))).toBe(true);
    const server = await start('postmaster');
    expect(runsOnCluster(postmaster, cluster('postmaster'))).toBe(false);
    expect(await rows(server)).toEqual([{ id: 1 }]);
    await stop(server);
  });
});

describe('what a start finds', () => {
  test('a postmaster.pid and a socket lock whose pid is a stranger by now are stale', async () => {
    const server = await start('postmaster');
    const text = await readFile(join(cluster('postmaster'), 'postmaster.pid'), 'utf8');
    await stop(server);
    await writeFile(join(cluster('postmaster'), 'postmaster.pid'), text.replace(/^\d+/, String(process.ppid)));
    const { uid, gid } = await stat(cluster('postmaster'));
    await mkdir(server.connection.host, { mode: 0o700 });
    await chown(server.connection.host, uid, gid);
    await writeFile(join(server.connection.host, '.s.PGSQL.5432.lock'), text.replace(/^\d+/, String(process.ppid)));
    const again = await start('postmaster');
    expect(await rows(again)).toEqual([{ id: 1 }]);
    expect(isAlive(process.ppid)).toBe(true);
    expect(again.connection).toEqual(server.connection);
    expect(await postmasterPid(again.clusterDirectory)).toBe(again.pid);
    await stop(again);
  });

  test('the rest of an initialisation that was killed is removed', async () => {
    await mkdir(join(root, 'half', 'postgres.incomplete-0a1b2c', 'base'), { recursive: true });
    await chmod(join(root, 'half'), 0o755);
    const server = await start('half');
    expect((await readdir(join(root, 'half'))).sort()).toEqual(['cluster.json', 'owner.lock', 'postgres']);
    await stop(server);
  });

  test('a cluster of another major version is refused and untouched', async () => {
    await writeFile(join(cluster('half'), 'PG_VERSION'), '17\n');
    await expect(start('half')).rejects.toThrow(/made by PostgreSQL 17.*runs PostgreSQL 18.*pg_dump/);
    await writeFile(join(cluster('half'), 'PG_VERSION'), '18\n');
    await stop(await start('half'));
  });

  test('a cluster that is gone is reported, never replaced by an empty one', async () => {
    await rm(cluster('half'), { recursive: true });
    await expect(start('half')).rejects.toThrow(/is gone\. Restore it/);
  });

  test('a server that cannot start says why, and leaves the folder free', async () => {
    await mkdir(join(root, 'foreign', 'postgres'), { recursive: true });
    await chmod(join(root, 'foreign'), 0o755);
    await writeFile(join(root, 'foreign', 'postgres', 'letters'), '');
    await expect(start('foreign')).rejects.toThrow('holds files but no PostgreSQL cluster');
    expect(await ownerOf(join(root, 'foreign'))).toBeNull();
  });
});
