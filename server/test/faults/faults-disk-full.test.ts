import { chownSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { databaseChecks } from '../../src/platform/operations/index.ts';
import { createPool, readerOver } from '../../src/platform/postgres/index.ts';
import { connectionsOver, verifyOrg } from '../../src/system-log/index.ts';
import { TEMPLATE_DATABASE } from '../support/global-setup.ts';
import { newProfile, startTestService, type TestService } from '../support/service.ts';
import { openSmallDisk } from '../support/small-disk.ts';

// F10 (docs/faults.md): the disk with the tables is full. PostgreSQL's write-ahead log is on another file system.

const NAME = `disk_full_${process.pid}`;

const disk = openSmallDisk('48m');
let service: TestService;
let close: () => Promise<void>;

async function administer(...statements: string[]): Promise<void> {
  const client = new pg.Client({ ...inject('postgres') });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

const bulky = () => newProfile({ nickName: 'n'.repeat(100), honorificPrefix: 'h'.repeat(40), title: 't'.repeat(200) });

describe.skipIf(disk === null)('a full disk under the tables', () => {
  beforeAll(async () => {
    const tablespace = join(disk?.path ?? '', 'tables');
    mkdirSync(tablespace, { mode: 0o700 });
    const owner = statSync(inject('postgres').host ?? '/');
    chownSync(tablespace, owner.uid, owner.gid);
    await administer(
      `create tablespace ${NAME} location '${tablespace}'`,
      `create database ${NAME} template ${TEMPLATE_DATABASE} tablespace ${NAME} strategy file_copy`,
    );
    const connection = { ...inject('postgres'), database: NAME };
    const pool = createPool({
      connection,
      maximumConnections: 4,
      applicationName: NAME,
      statementTimeoutMilliseconds: 30_000,
    });
    const db = readerOver(pool);
    service = await startTestService({ database: { connection, pool, db, kysely: db, close: () => pool.end() } });
    close = () => pool.end();
  });
  afterAll(async () => {
    await service.close();
    await close();
    await administer(`drop database ${NAME} with (force)`, `drop tablespace ${NAME}`);
    disk?.remove();
  });

  it('refuses writes with 503, goes on to read, and recovers without repair or loss', async () => {
    const { admin } = service.org;
    const create = () => admin.post('/api/v1/users', { body: { profile: bulky() } });
    const acknowledged = [(await create()).body.id];
    disk?.fill();
    let refused = await create();
    // Existing pages still have room for rows, so some writes succeed at first.
    for (let tries = 0; refused.status === 200 && tries < 2_000; tries += 1) {
      acknowledged.push(refused.body.id);
      refused = await create();
    }
    expect(refused).toMatchObject({ status: 503, body: { errorCode: 'E0000181' }, headers: { 'retry-after': '1' } });
    for (const path of [`/api/v1/users/${acknowledged[0]}`, '/api/v1/users?limit=5', '/api/v1/logs?limit=5']) {
      expect((await admin.get(path)).status).toBe(200);
    }
    const problem = () => databaseChecks(service.database.db, 1)['disk']?.();
    expect(await problem()).toBe('is full');
    disk?.free();
    expect(await problem()).toBe(null);
    const recovered = await create();
    expect(recovered.status).toBe(200);
    acknowledged.push(recovered.body.id);
    await service.drained();
    for (const id of acknowledged) expect((await admin.get(`/api/v1/users/${id}`)).status).toBe(200);
    const report = await verifyOrg(connectionsOver(service.database.pool), service.org.id);
    expect(report).toMatchObject({ ok: true, start: 0 });
    expect(report.verified).toBe(report.head.position);
    const [row] = (
      await service.database.pool.query<{ count: number }>(
        `select count(*)::integer as count from log_unsealed
         where org_id = $1 and event_type = 'user.lifecycle.create'`,
        [service.org.id],
      )
    ).rows;
    const [users] = (
      await service.database.pool.query<{ count: number }>(
        'select count(*)::integer as count from users where org_id = $1',
        [service.org.id],
      )
    ).rows;
    expect(row?.count).toBe(users?.count);
  });
});
