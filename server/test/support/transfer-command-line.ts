import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findRunningCluster } from '../../src/cli/running/running-cluster.ts';
import { createPool, type Pool } from '../../src/platform/postgres/index.ts';
import { createTestClient, type TestClient } from './client.ts';
import { gatehouse, newPlace, type Place, type Program, run, runServer, stopServer } from './server-process.ts';

export interface TransferCommandLine {
  readonly place: Place;
  readonly orgId: string;
  readonly pool: Pool;
  readonly ca: string;
  readonly admin: TestClient;
  readonly anonymous: TestClient;
  readonly file: (name: string, text: string) => Promise<string>;
  readonly path: (name: string) => string;
  readonly read: (name: string) => Promise<string>;
  /** Runs `gatehouse import users --json ...` to its end. The report is undefined if the command printed none. */
  readonly importUsers: (...given: string[]) => Promise<Finished>;
  readonly gatehouse: (...given: string[]) => ReturnType<typeof gatehouse>;
  /** Starts a `gatehouse` command that the test can kill. */
  readonly begin: (...given: string[]) => Program;
  readonly count: (text: string, values?: readonly unknown[]) => Promise<number>;
  /** Returns the org's events of a type, oldest first, once the relay has numbered them. */
  readonly events: (eventType: string) => Promise<Readonly<Record<string, unknown>>[]>;
  /** Kills the server with SIGKILL, which also stops its database. */
  readonly crash: () => Promise<void>;
  readonly halt: () => Promise<void>;
  readonly restart: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface Finished {
  readonly code: number | string;
  readonly stderr: string;
  readonly report: Readonly<Record<string, unknown>> | undefined;
}

interface Bootstrap {
  readonly orgId: string;
  readonly apiToken: string;
  readonly caFile: string;
}

async function waitUntilNumbered(pool: Pool): Promise<void> {
  for (;;) {
    const { rows } = await pool.query<{ waiting: boolean }>('select waiting > 0 as waiting from log_backlog(0)');
    if (rows[0]?.waiting === false) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function openPool(place: Place): Promise<Pool> {
  const connection = await findRunningCluster(place.dataDirectory);
  if (connection === null) throw new Error('the cluster does not run');
  const statementTimeoutMilliseconds = 30_000;
  return createPool({ connection, maximumConnections: 2, applicationName: 'test', statementTimeoutMilliseconds });
}

export async function openTransferCommandLine(): Promise<TransferCommandLine> {
  const place = await newPlace({ GATEHOUSE_RATE_LIMIT_PER_MINUTE: '1000000' });
  let server = await runServer(place);
  const bootstrap = JSON.parse(await readFile(join(place.dataDirectory, 'bootstrap.json'), 'utf8')) as Bootstrap;
  let pool = await openPool(place);
  const ca = await readFile(bootstrap.caFile, 'utf8');
  const client = (headers: Readonly<Record<string, string>>) =>
    createTestClient({ port: place.port, hostname: 'localhost', ca, headers });
  const admin = client({ authorization: `SSWS ${bootstrap.apiToken}` });
  const anonymous = client({});
  const path = (name: string): string => join(place.directory, name);
  return {
    place,
    orgId: bootstrap.orgId,
    get pool() {
      return pool;
    },
    ca,
    admin,
    anonymous,
    path,
    read: (name) => readFile(path(name), 'utf8'),
    file: async (name, text) => {
      await writeFile(path(name), text);
      return path(name);
    },
    gatehouse: (...given) => gatehouse(place, ...given),
    importUsers: async (...given) => {
      const { code, stderr, stdout } = await gatehouse(place, 'import', 'users', '--json', ...given);
      const report = stdout === '' ? undefined : (JSON.parse(stdout) as Finished['report']);
      return { code, stderr, report };
    },
    begin: (...given) => run(place, 'cli/gatehouse', given),
    count: async (text, values = []) => {
      const { rows } = await pool.query<{ count: number }>(text, [...values]);
      return rows[0]?.count ?? 0;
    },
    events: async (eventType) => {
      await waitUntilNumbered(pool);
      const text = 'select body from log_unsealed where org_id = $1 and event_type = $2 order by position';
      const { rows } = await pool.query<{ body: string }>(text, [bootstrap.orgId, eventType]);
      return rows.map(({ body }) => JSON.parse(body) as Readonly<Record<string, unknown>>);
    },
    crash: async () => {
      server.process.kill('SIGKILL');
      await server.ended;
      await pool.end().catch(() => undefined);
    },
    halt: async () => {
      await pool.end();
      await stopServer(server);
    },
    restart: async () => {
      server = await runServer(place);
      pool = await openPool(place);
    },
    close: async () => {
      admin.close();
      anonymous.close();
      await pool.end();
      await stopServer(server);
      await place.remove();
    },
  };
}
