import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTestClient, type TestClient } from './client.ts';
import type { TestDatabase } from './database.ts';
import { newPlace, runServer, stopServer } from './server-process.ts';

/** A service that runs in its own process and uses a database that another service has filled. */
export interface ServingProcess {
  readonly client: TestClient;
  readonly anonymous: TestClient;
  readonly origin: string;
  /** Returns the CPU time of the event loop's thread in milliseconds. */
  readonly cpuMilliseconds: () => number;
  readonly stop: () => Promise<void>;
}

export interface ServingOptions {
  readonly database: TestDatabase;
  /** The master key of the service that filled the database. */
  readonly masterKey: Buffer;
  readonly hostname: string;
  readonly headers: Readonly<Record<string, string>>;
}

export async function startServingProcess(options: ServingOptions): Promise<ServingProcess> {
  const { host = '', port = 5432, user = '', database: name = '' } = options.database.connection;
  const place = await newPlace({
    GATEHOUSE_DATABASE_URL: `postgresql://${user}@/${name}?host=${encodeURIComponent(host)}&port=${port}`,
    GATEHOUSE_MASTER_KEY: options.masterKey.toString('base64'),
    GATEHOUSE_RATE_LIMIT_PER_MINUTE: '1000000',
    GATEHOUSE_LOG_LEVEL: 'error',
  });
  const server = await runServer(place);
  const { pid } = server.process;
  const bootstrap = readFileSync(join(place.dataDirectory, 'bootstrap.json'), 'utf8');
  const { caFile } = JSON.parse(bootstrap) as { caFile: string };
  const target = { port: place.port, hostname: options.hostname, ca: readFileSync(caFile, 'utf8') };
  const client = createTestClient({ ...target, headers: options.headers });
  const anonymous = createTestClient(target);
  return {
    client,
    anonymous,
    origin: `https://${options.hostname}:${place.port}`,
    cpuMilliseconds: () => {
      const [nanoseconds = ''] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ');
      return Number(nanoseconds) / 1_000_000;
    },
    stop: async () => {
      client.close();
      anonymous.close();
      await stopServer(server);
      await place.remove();
    },
  };
}

/** The CPU time of the loop below on the machine for which the tests' CPU limits were set. */
const USUAL_MILLISECONDS = 45;
const TRIES = 5;

/** Returns how many times slower than usual this machine is now; at least 1. */
export function slowness(): number {
  const tries = Array.from({ length: TRIES }, () => {
    const before = process.cpuUsage();
    let sum = 0;
    for (let count = 0; count < 20_000_000; count += 1) sum = (Math.imul(sum, 31) + count) % 1_000_003;
    const { user } = process.cpuUsage(before);
    return sum === -1 ? Number.POSITIVE_INFINITY : user / 1_000;
  });
  return Math.max(1, Math.min(...tries) / USUAL_MILLISECONDS);
}
