import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ConnectionSettings } from '../../src/platform/postgres/index.ts';

export const PGBOUNCER = '/usr/sbin/pgbouncer';

/** A PgBouncer before a database. */
export interface Pooler {
  readonly connection: ConnectionSettings;
  readonly url: string;
  close(): Promise<void>;
}

export type PoolMode = 'session' | 'transaction' | 'statement';

const PATIENCE_MILLISECONDS = 10_000;

/** No setting makes PgBouncer ignore or pass on anything that it does not know by default. */
const configurationOf = ({ database, host, port, user }: ConnectionSettings, listen: number, mode: PoolMode) => `
[databases]
${database} = host=${host} port=${port} user=${user}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listen}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
default_pool_size = 40
`;

export async function isListening(port: number, address = '127.0.0.1'): Promise<boolean> {
  const socket = connect(port, address);
  const isOpen = await once(socket, 'connect').then(
    () => true,
    () => false,
  );
  socket.destroy();
  return isOpen;
}

export async function openPooler(target: ConnectionSettings, listen: number, mode: PoolMode): Promise<Pooler> {
  const directory = await mkdtemp(join(tmpdir(), 'gatehouse-pooler-'));
  await chmod(directory, 0o755);
  const file = join(directory, 'pgbouncer.ini');
  await writeFile(file, configurationOf(target, listen, mode));
  // Only root and the owner of PostgreSQL's socket folder can enter it, and PgBouncer does not run as root.
  const { gid, uid } = await stat(target.host ?? '');
  const child = spawn(PGBOUNCER, [file], { stdio: ['ignore', 'ignore', 'pipe'], uid, gid });
  let log = '';
  child.stderr.on('data', (chunk: Buffer) => (log += chunk.toString('utf8')));
  const ended = once(child, 'exit').catch(() => undefined);
  const until = performance.now() + PATIENCE_MILLISECONDS;
  while (!(await isListening(listen))) {
    if (performance.now() > until) {
      child.kill('SIGKILL');
      await rm(directory, { recursive: true, force: true });
      throw new Error(`PgBouncer does not listen:\n${log}`);
    }
    await delay(50);
  }
  const { database = '', user = '' } = target;
  return {
    connection: { host: '127.0.0.1', port: listen, user, database },
    url: `postgresql://${user}@127.0.0.1:${listen}/${database}`,
    close: async () => {
      child.kill('SIGTERM');
      await ended;
      await rm(directory, { recursive: true, force: true });
    },
  };
}
