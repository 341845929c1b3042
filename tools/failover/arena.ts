import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { createPool } from '../../server/src/platform/postgres/index.ts';
import { openExternalDatabase } from '../../server/src/process/database/database.ts';
import { loadConfig } from '../../server/src/settings/config.ts';
import { createTestClient, type TestClient } from '../../server/test/support/client.ts';
import { Journal } from '../crash/journal.ts';
import { LogReader } from '../crash/log-reader.ts';
import { SealerProcess } from '../crash/sealer-process.ts';
import { eventually, freePorts, type Launch } from '../crash/service-process.ts';
import { Writer } from '../crash/writer.ts';
import { type Balancer, openBalancer } from '../nodes/balancer.ts';
import { openNodesHaproxy, openPrimaryHaproxy } from '../nodes/haproxy.ts';
import { type Node, openSharedInstallation, type SharedInstallation } from '../nodes/installation.ts';
import { type Machine, type Network, openNetwork } from './network.ts';
import { DATABASE_PORT, openPatroniCluster, type PatroniCluster } from './patroni-cluster.ts';
import { LOOK_MILLISECONDS, REST_PORT } from './patroni-members.ts';

export interface ArenaOptions {
  readonly launch: Launch;
  readonly writers: number;
  /** By default three. */
  readonly servers?: number;
  /** The balancer between clients and nodes: HAProxy, or by default one of the tools. */
  readonly balancer?: 'tool' | 'haproxy';
  /** How nodes find the primary: by HAProxy, or by default by a list of all servers. */
  readonly database?: 'hosts' | 'haproxy';
  /** Whether a process seals all events at once. */
  readonly isSealing?: boolean;
}

/** The clients of an installation: writers, and a poller of the log. */
export interface Clients {
  /** The poller reads the log from this time on. */
  readonly since: Date;
  readonly journal: Journal;
  readonly client: TestClient;
  readonly writers: readonly Writer[];
  readonly reader: LogReader;
}

/** A cluster under Patroni and two nodes behind a balancer. All have network namespaces of their own. */
export interface Arena extends Clients {
  readonly network: Network;
  readonly installation: SharedInstallation;
  readonly cluster: PatroniCluster;
  readonly etcd: Machine;
  readonly nodes: readonly Node[];
  readonly nodeMachines: readonly Machine[];
  readonly proxies: readonly Machine[];
  readonly sealer: SealerProcess;
  /** The port that clients see. */
  readonly port: number;
  /** The settings of the nodes. */
  readonly environment: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

const SERVER_NAMES = ['a', 'b', 'c'];
const PATIENCE_MILLISECONDS = 60_000;

/** Opens clients of a balancer for the org that the first start has made. */
export async function openClients(
  installation: SharedInstallation,
  { address, port }: Balancer,
  writerCount: number,
): Promise<Clients> {
  const { apiToken, baseUrl, caFile } = await installation.bootstrap();
  const ca = await readFile(caFile, 'utf8');
  const { hostname } = new URL(baseUrl);
  const since = new Date();
  const headers = { authorization: `SSWS ${apiToken}` };
  const newClient = (): TestClient => createTestClient({ address, port, hostname, ca, headers });
  const journal = new Journal();
  const writers = Array.from({ length: writerCount }, () => new Writer(newClient(), journal, { settlesLater: true }));
  return { client: newClient(), journal, writers, since, reader: new LogReader(newClient(), baseUrl, since) };
}

/** Opens a balancer: HAProxy on the machine, or one of the tools on this one. */
export async function openFront(
  installation: SharedInstallation,
  nodes: readonly Node[],
  port: number,
  machine: Machine | undefined,
): Promise<Balancer> {
  if (machine === undefined) return openBalancer(nodes, port, { closesUnready: true });
  const { baseUrl } = await installation.bootstrap();
  const backEnds = nodes.map((node) => ({ ...node, checkPort: node.managementPort }));
  const { dataDirectory, directory } = installation;
  const hosts = [new URL(baseUrl).hostname];
  return openNodesHaproxy({ directory, port, backEnds, place: machine }, { dataDirectory, hosts });
}

interface OpenDatabase {
  readonly installation: SharedInstallation;
  readonly cluster: PatroniCluster;
}

/** Opens the cluster, and an installation whose nodes have `urlOf` the cluster as the URL of their database. */
async function openDatabase(
  machines: { readonly etcd: Machine; readonly servers: readonly Machine[] },
  urlOf: (cluster: PatroniCluster, directory: string) => Promise<string>,
): Promise<OpenDatabase> {
  let cluster: PatroniCluster | null = null;
  const installation = await openSharedInstallation(async (directory) => {
    const database = join(directory, 'cluster');
    await mkdir(database, { mode: 0o755 });
    const opened = await openPatroniCluster(database, machines);
    cluster = opened;
    const config = { ...loadConfig({}), dataDirectory: join(directory, 'tool') };
    const { connection } = await openExternalDatabase(config, opened.url);
    const pool = createPool({
      connection,
      maximumConnections: 2,
      applicationName: 'tool',
      statementTimeoutMilliseconds: 60_000,
    });
    return {
      url: await urlOf(opened, directory),
      pool,
      close: async () => {
        await pool.end();
        opened.close();
      },
    };
  });
  if (cluster === null) throw new Error('no cluster');
  return { installation, cluster };
}

async function isPrimary(connectionString: string): Promise<boolean> {
  const patience = { connectionTimeoutMillis: LOOK_MILLISECONDS, query_timeout: LOOK_MILLISECONDS };
  const client = new pg.Client({ connectionString, ...patience });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ isStandby: boolean }>('select pg_is_in_recovery() as "isStandby"');
    return rows[0]?.isStandby === false;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Before its first checks, HAProxy leads to each server in turn. */
async function untilPrimary(url: string, serverCount: number): Promise<void> {
  await eventually('HAProxy leads to the primary', PATIENCE_MILLISECONDS, async () => {
    for (let turn = 0; turn < serverCount; turn += 1) if (!(await isPrimary(url))) return null;
    return true;
  });
}

/** Call this as root. */
export async function openArena(options: ArenaOptions): Promise<Arena> {
  const network = openNetwork();
  const nodes: Node[] = [];
  let opened: OpenDatabase | null = null;
  let balancer: Balancer | null = null;
  let sealer: SealerProcess | null = null;
  const close = async (): Promise<void> => {
    for (const node of nodes) await node.service.end('SIGKILL');
    await balancer?.close();
    await sealer?.kill();
    network.close();
    await opened?.installation.close();
  };
  try {
    const etcd = network.machine('etcd');
    const servers = SERVER_NAMES.slice(0, options.servers).map((name) => network.machine(name));
    const nodeMachines = ['n', 'm'].map((name) => network.machine(name));
    const front = options.balancer === 'haproxy' ? network.machine('h') : undefined;
    const proxies = options.database === 'haproxy' ? [network.machine('p')] : [];
    opened = await openDatabase({ etcd, servers }, async (cluster, directory) => {
      const [place] = proxies;
      if (place === undefined) return cluster.url;
      const ports = { port: DATABASE_PORT, checkPort: REST_PORT };
      const backEnds = servers.map(({ address, name }) => ({ name, address, ...ports }));
      await openPrimaryHaproxy({ directory, port: DATABASE_PORT, backEnds, place });
      const url = cluster.urlOf(place.address);
      await untilPrimary(url, servers.length);
      return url;
    });
    const { cluster, installation } = opened;
    const [port = 0] = await freePorts(1);
    const environment = {
      GATEHOUSE_PUBLIC_PORT: String(port),
      GATEHOUSE_WORKERS: '2',
      ...(front === undefined ? {} : { GATEHOUSE_TRUSTED_PROXIES: front.address }),
    };
    for (const machine of nodeMachines) {
      const node = await installation.node(machine.name, options.launch, { environment, place: machine });
      nodes.push(node);
      await node.service.start();
    }
    balancer = await openFront(installation, nodes, port, front);
    const clients = await openClients(installation, balancer, options.writers);
    sealer = new SealerProcess(join(installation.directory, 'sealer'), cluster.url);
    if (options.isSealing === true) sealer.launch();
    const machines = { network, etcd, nodeMachines, proxies };
    return { ...machines, installation, cluster, sealer, nodes, port, environment, ...clients, close };
  } catch (error) {
    await close();
    throw error;
  }
}
