import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FROM_BUILD, freePorts, ServiceProcess } from '../../../tools/crash/service-process.ts';
import { findRunningCluster } from '../../src/cli/running/running-cluster.ts';
import { createTestClient, type TestClient } from '../support/client.ts';
import { openSmallDisk } from '../support/small-disk.ts';

// F10 (docs/faults.md): the disk with the whole data folder is full, so PostgreSQL cannot write even its write-ahead
// log.

const disk = openSmallDisk('300m');
let service: ServiceProcess;
let client: TestClient & { close(): void };
let dataDirectory: string;

async function needSpace(): Promise<void> {
  const connection = await findRunningCluster(dataDirectory);
  if (connection === null) return;
  const database = new pg.Client({ ...connection });
  database.on('error', () => undefined);
  await database.connect();
  for (let segment = 0; segment < 10; segment += 1) {
    await database.query("select pg_logical_emit_message(true, 'fill', repeat('x', 1000)), pg_switch_wal()");
  }
  await database.end();
}

describe.skipIf(disk === null)('a data folder on a full disk', () => {
  beforeAll(async () => {
    dataDirectory = join(disk?.path ?? '', 'data');
    const [port = 0, managementPort = 0] = await freePorts(2);
    service = new ServiceProcess({ launch: FROM_BUILD, dataDirectory, port, managementPort });
    await service.start();
    const { apiToken, caFile } = await service.bootstrap();
    const ca = readFileSync(caFile, 'utf8');
    client = createTestClient({ port, hostname: 'localhost', ca, headers: { authorization: `SSWS ${apiToken}` } });
  });
  afterAll(async () => {
    client.close();
    await service.end('SIGTERM');
    disk?.remove();
  });

  it('is answered with 503 by a process that lives, and is over by itself when there is room again', async () => {
    const create = (login: string) =>
      client.post('/api/v1/users?activate=false', {
        body: { profile: { firstName: 'Full', lastName: 'Disk', login, email: login } },
      });
    const before = await create(`${randomUUID()}@example.com`);
    expect(before.status).toBe(200);
    disk?.fill();
    await expect(needSpace()).rejects.toThrow();
    const login = `${randomUUID()}@example.com`;
    expect(await create(login)).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
    expect(await service.health('live')).toBe(200);
    expect(await service.health('ready')).toBe(503);
    disk?.free();
    await service.untilReady(30_000);
    expect((await client.get(`/api/v1/users/${before.body.id}`)).status).toBe(200);
    expect((await client.get(`/api/v1/users/${login}`)).status).toBe(404);
    expect((await create(login)).status).toBe(200);
    const verified = await service.cli('log', 'verify');
    expect(verified).toMatchObject({ status: 0 });
  });
});
