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
