import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findRunningCluster } from '../../src/cli/running/running-cluster.ts';
import { type OrgId, toOrgId } from '../../src/kernel/words/ids.ts';
import { createPool, type Pool } from '../../src/platform/postgres/index.ts';
import { createTestClient } from './client.ts';
import { gatehouse, newPlace, type Place, runServer, stopServer } from './server-process.ts';
import { created, LogBench, requestContext } from './system-log.ts';

export interface LogCommandLine {
  readonly place: Place;
  readonly orgId: OrgId;
  readonly pool: Pool;
  readonly client: ReturnType<typeof createTestClient>;
  readonly log: (...given: string[]) => ReturnType<typeof gatehouse>;
  /** Runs a shell pipeline that starts with `gatehouse ...`. */
  readonly pipe: (command: string) => Promise<{ code: unknown; stdout: string; stderr: string }>;
  readonly write: (ids: readonly string[]) => Promise<void>;
  readonly drained: () => Promise<void>;
  readonly bodies: () => Promise<string[]>;
  readonly close: () => Promise<void>;
}

export async function until<Found>(look: () => Promise<Found | null>): Promise<Found> {
  for (let tries = 0; tries < 12_000; tries += 1) {
    const found = await look();
    if (found !== null) return found;
    await delay(10);
  }
  throw new Error('it did not come');
}

interface Bootstrap {
  readonly orgId: string;
  readonly apiToken: string;
  readonly caFile: string;
}

function pipeIn(place: Place, command: string): Promise<{ code: unknown; stdout: string; stderr: string }> {
  const line = command.replace(/^gatehouse /, `"${process.execPath}" server/dist/cli/gatehouse.js `);
  const shell = spawn('/bin/bash', ['-o', 'pipefail', '-c', line], {
    env: place.environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  shell.stdout.on('data', (chunk: Buffer) => {
    output.stdout += chunk.toString();
  });
  shell.stderr.on('data', (chunk: Buffer) => {
    output.stderr += chunk.toString();
  });
  return new Promise((resolve) => shell.once('close', (code) => resolve({ code, ...output })));
}

export async function openLogCommandLine(): Promise<LogCommandLine> {
  const place = await newPlace();
  const server = await runServer(place);
  const bootstrap = JSON.parse(await readFile(join(place.dataDirectory, 'bootstrap.json'), 'utf8')) as Bootstrap;
  const orgId = toOrgId(bootstrap.orgId);
  const connection = await findRunningCluster(place.dataDirectory);
  if (connection === null) throw new Error('the cluster does not run');
  const pool = createPool({
    connection,
    maximumConnections: 2,
    applicationName: 'test',
    statementTimeoutMilliseconds: 30_000,
  });
  const bench = new LogBench(pool);
  const client = createTestClient({
    port: place.port,
    hostname: 'localhost',
    ca: await readFile(bootstrap.caFile, 'utf8'),
    headers: { authorization: `SSWS ${bootstrap.apiToken}` },
  });
  return {
    place,
    orgId,
    pool,
    client,
    log: (...given) => gatehouse(place, 'log', ...given),
    pipe: (command) => pipeIn(place, command),
    write: (ids) =>
      bench.write(
        orgId,
        ids.map((id) => created(id)),
        requestContext(orgId, new Date()),
      ),
    drained: async () => {
      await until(async () => {
        const { rows } = await pool.query<{ waiting: boolean }>('select waiting > 0 as waiting from log_backlog(0)');
        return rows[0]?.waiting === false ? true : null;
      });
    },
    bodies: async () => {
      const text = 'select body from log_unsealed where org_id = $1 order by position';
      return (await pool.query<{ body: string }>(text, [orgId])).rows.map(({ body }) => body);
    },
    close: async () => {
      client.close();
      await pool.end();
      await stopServer(server);
      await place.remove();
    },
  };
}
