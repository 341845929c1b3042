import pg from 'pg';
import type { ConnectionSettings } from '../../src/platform/postgres/index.ts';

/** The address of a PostgreSQL server, or of the coordinator of a Citus cluster, for the tests to use. */
const SETTING = 'GATEHOUSE_TEST_DATABASE_URL';

interface CitusNode {
  readonly host: string;
  readonly port: number;
}

function settingsOf(address: string): ConnectionSettings {
  const url = new URL(address);
  return {
    host: decodeURIComponent(url.hostname),
    port: Number(url.port === '' ? '5432' : url.port),
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    database: url.pathname.slice(1),
  };
}

async function workersOf(coordinator: ConnectionSettings): Promise<readonly CitusNode[]> {
  return using(coordinator, async (client) => {
    const { rows } = await client.query<{ exists: boolean }>(
      "select to_regclass('pg_dist_node') is not null as exists",
    );
    if (rows[0]?.exists !== true) return [];
    const nodes = await client.query<CitusNode>(
      'select nodename as host, nodeport as port from pg_dist_node where groupid <> 0 order by nodeid',
    );
    return nodes.rows;
  });
}

export async function using<Result>(
  connection: ConnectionSettings,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ ...connection });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Returns the server that the environment names, and the workers if it is a Citus coordinator. Null without one. */
export async function givenServers(): Promise<readonly ConnectionSettings[] | null> {
  const address = process.env[SETTING] ?? '';
  if (address === '') return null;
  const coordinator = settingsOf(address);
  const workers = await workersOf(coordinator);
  return [coordinator, ...workers.map(({ host, port }) => ({ ...coordinator, host, port }))];
}

/** Makes a database on several servers the database of a Citus cluster, as it is in the maintenance database. */
export async function joinCitusNodes(servers: readonly ConnectionSettings[], database: string): Promise<void> {
  const [coordinator, ...workers] = servers.map((server) => ({ ...server, database }));
  if (coordinator === undefined || workers.length === 0) return;
  for (const server of [coordinator, ...workers])
    await using(server, (client) => client.query('create extension citus'));
  await using(coordinator, async (client) => {
    await client.query('select citus_set_coordinator_host($1, $2)', [coordinator.host, coordinator.port]);
    for (const { host, port } of workers) await client.query('select citus_add_node($1, $2)', [host, port]);
  });
}
