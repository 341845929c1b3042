import { readFile } from 'node:fs/promises';
import type pg from 'pg';
import { addOrgs } from '../../bench/orgs-data.ts';
import { createPool, type Pool } from '../../server/src/platform/postgres/index.ts';
import { joinCitusNodes, using } from '../../server/test/support/given-servers.ts';
import type { Launch } from '../crash/service-process.ts';
import { type Node, openSharedInstallation, type SharedInstallation } from '../nodes/installation.ts';
import type { CitusCluster } from './cluster.ts';

export interface LoadedInstallation {
  readonly installation: SharedInstallation;
  readonly node: Node;
  readonly pool: Pool;
  /** The PEM of the CA of the node. */
  readonly ca: string;
  close(): Promise<void>;
}

interface InstallationOptions {
  readonly cluster: CitusCluster;
  readonly database: string;
  /** Whether the database is distributed. Otherwise the coordinator is a PostgreSQL like any other. */
  readonly isDistributed: boolean;
  readonly launch: Launch;
  readonly orgs: number;
}

/** Starts a node of a new installation, and adds orgs with an administrator each. */
export async function openLoadedInstallation(options: InstallationOptions): Promise<LoadedInstallation> {
  const { cluster, database, isDistributed, launch, orgs } = options;
  const ports = [...cluster.directories.keys()];
  const connections = ports.map((port) => ({ host: '127.0.0.1', port, user: 'postgres', database: 'postgres' }));
  const servers = isDistributed ? connections : connections.slice(0, 1);
  for (const server of servers) await using(server, (client) => client.query(`create database ${database}`));
  await joinCitusNodes(servers, database);
  const [coordinator] = servers.map((server) => ({ ...server, database }));
  if (coordinator === undefined) throw new Error('a cluster has a coordinator');
  const pool = createPool({
    connection: coordinator,
    maximumConnections: 4,
    applicationName: 'tool',
    statementTimeoutMilliseconds: 600_000,
  });
  const url = `postgresql://postgres@127.0.0.1:${coordinator.port}/${database}`;
  const installation = await openSharedInstallation(() => Promise.resolve({ url, pool, close: () => pool.end() }));
  const node = await installation.node('node', launch);
  await node.service.start();
  await addOrgs({ pool }, orgs);
  const { caFile } = await installation.bootstrap();
  return {
    installation,
    node,
    pool,
    ca: await readFile(caFile, 'utf8'),
    close: async () => {
      await node.service.end('SIGTERM');
      await installation.close();
    },
  };
}

/** Asks a server of the cluster, by its port. */
export async function askServer<Row>(port: number, database: string, text: string, values: readonly unknown[] = []) {
  const server = { host: '127.0.0.1', port, user: 'postgres', database };
  return using(server, async (client) => (await client.query<Row & pg.QueryResultRow>(text, [...values])).rows);
}
