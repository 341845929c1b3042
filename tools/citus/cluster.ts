import { appendFile, chmod, chown, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { clusterUser } from '../../server/src/platform/postgres/embedded/cluster/cluster-user.ts';
import { runProgram } from '../../server/src/platform/postgres/embedded/postmaster/run-program.ts';
import { using } from '../../server/test/support/given-servers.ts';

const BINARIES = '/usr/lib/postgresql/15/bin';
export const CITUS_LIBRARY = '/usr/lib/postgresql/15/lib/citus.so';
const HOST = '127.0.0.1';

export interface CitusClusterOptions {
  /** The folder in which the folder of the cluster is made. */
  readonly parent: string;
  readonly workers: number;
  /** The port of the coordinator. The workers have the ports after it. */
  readonly port: number;
  /** The number of shards of each table, by default 2. */
  readonly shards?: number;
  /** Whether PostgreSQL waits for the disk, as it does for anybody but tests. */
  readonly isDurable?: boolean;
}

export interface CitusCluster {
  /** The URL of the coordinator's database `postgres`. */
  readonly url: string;
  /** The data directories by the port of the server. The coordinator comes first. */
  readonly directories: ReadonlyMap<number, string>;
  stop(): Promise<void>;
}

const NOT_DURABLE = { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' };

/** A statement for all shards opens one connection per worker, because a test has only a few of them. */
const settingsOf = (directory: string, port: number, { isDurable, shards }: CitusClusterOptions): string =>
  Object.entries({
    ...(isDurable === true ? {} : NOT_DURABLE),
    port: String(port),
    listen_addresses: HOST,
    unix_socket_directories: directory,
    shared_preload_libraries: 'citus,pg_stat_statements',
    max_connections: '400',
    max_prepared_transactions: '600',
    max_locks_per_transaction: '1024',
    max_worker_processes: '64',
    wal_level: 'logical',
    jit: 'off',
    'citus.shard_count': String(shards ?? 2),
    'citus.max_adaptive_executor_pool_size': '1',
    'citus.enable_statistics_collection': 'off',
  })
    .map(([name, value]) => `${name} = '${value}'\n`)
    .join('');

const maintenanceOf = (port: number) => ({ host: HOST, port, user: 'postgres', database: 'postgres' });

async function ask(port: number, text: string, values: readonly unknown[] = []): Promise<void> {
  await using(maintenanceOf(port), (client) => client.query(text, [...values]));
}

/** Newer releases of PostgreSQL ask which plugins may decode changes, as Citus does to split a shard. */
async function allowPlugin(port: number): Promise<void> {
  await using(maintenanceOf(port), async (client) => {
    const { rowCount } = await client.query("select 1 from pg_settings where name = 'output_plugin_libraries'");
    if (rowCount === 0) return;
    await client.query('alter system set output_plugin_libraries = pgoutput, citus');
    await client.query('select pg_reload_conf()');
  });
}

/** Starts a coordinator and its workers, each with a PostgreSQL of its own, for tests. */
export async function startCitusCluster(options: CitusClusterOptions): Promise<CitusCluster> {
  const { parent, port, workers } = options;
  const directory = await mkdtemp(join(parent, 'gatehouse-citus-'));
  const user = clusterUser(null);
  await chmod(directory, 0o755);
  if (user !== null) await chown(directory, user.uid, user.gid);
  const ports = Array.from({ length: workers + 1 }, (_, index) => port + index);
  const started: string[] = [];
  const runAsUser = async (program: string, ...given: readonly string[]): Promise<void> => {
    const { output, status } = await runProgram(join(BINARIES, program), given, user);
    if (status !== 0) throw new Error(`${program} failed: ${output}`);
  };
  const stop = async (): Promise<void> => {
    for (const data of started) await runAsUser('pg_ctl', '-D', data, '-m', 'immediate', '-w', 'stop');
    await rm(directory, { recursive: true, force: true });
  };
  try {
    for (const own of ports) {
      const data = join(directory, String(own));
      await runAsUser('initdb', '-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C');
      await appendFile(join(data, 'postgresql.conf'), settingsOf(directory, own, options));
      await runAsUser('pg_ctl', '-D', data, '-l', `${data}.log`, '-w', 'start');
      started.push(data);
      await allowPlugin(own);
      await ask(own, 'create extension citus');
    }
    await ask(port, 'select citus_set_coordinator_host($1, $2)', [HOST, port]);
    for (const own of ports.slice(1)) await ask(port, 'select citus_add_node($1, $2)', [HOST, own]);
  } catch (error) {
    await stop();
    throw error;
  }
  const directories = new Map(ports.map((own) => [own, join(directory, String(own))]));
  return { url: `postgresql://postgres@${HOST}:${port}/postgres`, directories, stop };
}
