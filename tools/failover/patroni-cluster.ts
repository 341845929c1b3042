import { type ChildProcess, spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openSmallDisk, type SmallDisk } from '../../server/test/support/small-disk.ts';
import { eventually } from '../crash/service-process.ts';
import type { Machine } from './network.ts';
import { areFollowing, membersBy, REST_PORT } from './patroni-members.ts';
import { CONFIGURATION, OUTPUT, PASSWORD, PATIENCE_MILLISECONDS, superuserOf, untilWhole } from './patroni-whole.ts';
import { run } from './run.ts';

const BINARIES = '/usr/lib/postgresql/15/bin';
export const DATABASE_PORT = 5432;
/** Each server has its data and its write-ahead log on a disk of this size, in memory. They take up to half of it. */
const DISK_SIZE = '2g';

/** PostgreSQL servers under Patroni: a primary, a synchronous standby, and another one in case one of them is lost. */
export interface PatroniCluster {
  /** The URL with all servers, for a role that owns only its database. */
  readonly url: string;
  /** Returns the URL for this role with other servers, such as a proxy. */
  urlOf(hosts: string): string;
  /** Resolves when all servers run, and a standby confirms commits. */
  untilWhole(): Promise<Roles>;
  /** Makes the primary of a second site, as docs/operate/failover.md says. */
  promote(): void;
  /** Removes the disks of the servers. Call this when their processes have been killed. */
  close(): void;
}

export interface Roles {
  readonly primary: PatroniServer;
  /** The standby that commits wait for. */
  readonly standby: PatroniServer;
  readonly others: readonly PatroniServer[];
}

export interface PatroniServer {
  readonly machine: Machine;
  start(): void;
  /** Kills PostgreSQL, but not Patroni. */
  killPostgres(): Promise<void>;
  /** The disk with the data, the write-ahead log and nothing else. */
  readonly disk: Pick<SmallDisk, 'fill' | 'free' | 'path'>;
}

/** A connection whose packets get lost is given up after this time, instead of a minute. */
const TIMEOUTS = { wal_sender_timeout: '5s', wal_receiver_timeout: '5s', tcp_user_timeout: '5s' };

/** The address of the primary of another site. */
export interface OtherSite {
  readonly host: string;
  readonly port: number;
}

interface ServerPlace {
  readonly machine: Machine;
  readonly etcd: Machine;
  readonly directory: string;
}

const configurationOf = ({ directory, etcd, machine }: ServerPlace, follows: OtherSite | undefined): string =>
  JSON.stringify({
    scope: 'gatehouse',
    name: machine.name,
    restapi: { listen: `${machine.address}:${REST_PORT}`, connect_address: `${machine.address}:${REST_PORT}` },
    etcd3: { host: `${etcd.address}:2379` },
    bootstrap: {
      dcs: {
        ttl: 20,
        loop_wait: 1,
        retry_timeout: 5,
        maximum_lag_on_failover: 1_048_576,
        // If PostgreSQL crashes, its standby takes over at once.
        primary_start_timeout: 0,
        synchronous_mode: true,
        synchronous_mode_strict: true,
        ...(follows === undefined ? {} : { standby_cluster: follows }),
        postgresql: {
          use_pg_rewind: true,
          parameters: {
            max_connections: 200,
            wal_log_hints: 'on',
            wal_keep_size: '256MB',
            max_wal_size: '512MB',
            // A server that does not follow any more must not make the others keep the log until their disks are full.
            max_slot_wal_keep_size: '512MB',
            ...TIMEOUTS,
          },
        },
      },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }, 'data-checksums'],
    },
    postgresql: {
      listen: `${machine.address}:${DATABASE_PORT}`,
      connect_address: `${machine.address}:${DATABASE_PORT}`,
      data_dir: join(directory, 'data'),
      bin_dir: BINARIES,
      authentication: {
        superuser: { username: 'postgres', password: PASSWORD },
        replication: { username: 'replicator', password: PASSWORD },
        rewind: { username: 'rewinder', password: PASSWORD },
      },
      pg_hba: ['local all all trust', 'host all all all scram-sha-256', 'host replication all all scram-sha-256'],
      parameters: { unix_socket_directories: directory },
    },
  });

function startAs(machine: Machine, directory: string, program: string, ...args: readonly string[]): ChildProcess {
  const output = openSync(join(directory, OUTPUT), 'a');
  const user = ['setpriv', '--reuid=postgres', '--regid=postgres', '--init-groups'];
  const [first = '', ...rest] = [...machine.prefix, ...user, program, ...args];
  return spawn(first, rest, { stdio: ['ignore', output, output], cwd: directory, env: { PATH: process.env['PATH'] } });
}

async function makeDirectory(path: string): Promise<string> {
  await mkdir(path, { mode: 0o700 });
  run('chown', 'postgres:postgres', path);
  return path;
}

async function openServer(
  machine: Machine,
  etcd: Machine,
  disk: SmallDisk,
  follows: OtherSite | undefined,
): Promise<PatroniServer> {
  const directory = disk.path;
  run('chown', 'postgres:postgres', directory);
  await chmod(directory, 0o700);
  const file = join(directory, CONFIGURATION);
  await writeFile(file, configurationOf({ machine, etcd, directory }, follows));
  run('chown', 'postgres:postgres', file);
  return {
    machine,
    disk,
    start: () => void startAs(machine, directory, 'patroni', file),
    killPostgres: async () => {
      const [pid = ''] = (await readFile(join(directory, 'data', 'postmaster.pid'), 'utf8')).split('\n');
      process.kill(Number(pid), 'SIGKILL');
    },
  };
}

async function createDatabase(primary: PatroniServer): Promise<void> {
  const client = superuserOf(primary);
  await client.connect();
  try {
    await client.query(`create role gatehouse login password '${PASSWORD}'`);
    await client.query('create database gatehouse owner gatehouse');
    await client.query('grant pg_monitor to gatehouse');
  } finally {
    await client.end();
  }
}

interface ClusterMachines {
  readonly etcd: Machine;
  readonly servers: readonly Machine[];
}

async function startServers(
  directory: string,
  { etcd, servers: machines }: ClusterMachines,
  disks: SmallDisk[],
  follows: OtherSite | undefined,
): Promise<readonly PatroniServer[]> {
  const keeping = await makeDirectory(join(directory, 'etcd'));
  const client = `http://${etcd.address}:2379`;
  const urls = ['--listen-client-urls', client, '--advertise-client-urls', client];
  startAs(etcd, keeping, 'etcd', '--data-dir', join(keeping, 'data'), ...urls, '--log-level', 'error');
  const servers: PatroniServer[] = [];
  for (const machine of machines) {
    const disk = openSmallDisk(DISK_SIZE);
    if (disk === null) throw new Error('only root can mount the disks of the servers');
    disks.push(disk);
    const server = await openServer(machine, etcd, disk, follows);
    server.start();
    servers.push(server);
  }
  return servers;
}

const untilFollowing = (servers: readonly PatroniServer[]): Promise<boolean> =>
  eventually('a second site', PATIENCE_MILLISECONDS, async () => {
    for (const server of servers) if (areFollowing(await membersBy(server), servers)) return true;
    return null;
  });

const urlOf = (hosts: string): string => `postgresql://gatehouse:${PASSWORD}@${hosts}/gatehouse`;

async function openCluster(
  directory: string,
  machines: ClusterMachines,
  disks: SmallDisk[],
  follows: OtherSite | undefined,
): Promise<PatroniCluster> {
  const servers = await startServers(directory, machines, disks, follows);
  const [first] = servers;
  if (first === undefined) throw new Error('a cluster without servers');
  let inOrder = servers;
  if (follows === undefined) {
    const { others, primary, standby } = await untilWhole(servers);
    await createDatabase(primary);
    // The primary comes last, so that no process can rely on the order.
    inOrder = [standby, ...others, primary];
  } else await untilFollowing(servers);
  return {
    untilWhole: () => untilWhole(servers),
    promote: () => {
      const command = ['patronictl', '-c', join(first.disk.path, CONFIGURATION), 'edit-config', 'gatehouse'];
      run(...first.machine.prefix, ...command, '--force', '--set', 'standby_cluster=null');
    },
    url: urlOf(inOrder.map(({ machine }) => `${machine.address}:${DATABASE_PORT}`).join(',')),
    urlOf,
    close: () => {
      for (const disk of disks) disk.remove();
    },
  };
}

/**
 * Starts etcd and the servers. With `follows`, they are a second site, which follows the first one asynchronously until
 * it is promoted. Call this as root, because each of them has a machine of its own.
 */
export async function openPatroniCluster(
  directory: string,
  machines: ClusterMachines,
  follows?: OtherSite,
): Promise<PatroniCluster> {
  const disks: SmallDisk[] = [];
  try {
    return await openCluster(directory, machines, disks, follows);
  } catch (error) {
    for (const disk of disks) disk.remove();
    throw error;
  }
}
