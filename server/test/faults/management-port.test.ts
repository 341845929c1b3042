import { request } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/kernel/clock.ts';
import {
  type Check,
  createInstallationMetrics,
  createMetrics,
  databaseChecks,
  type ManagementServer,
  startManagementServer,
} from '../../src/platform/operations/index.ts';
import { createPool, readerOver } from '../../src/platform/postgres/index.ts';
import { beforeTests } from '../support/before-tests.ts';
import { whileBusy } from '../support/cpu-time.ts';
import { openTestDatabase } from '../support/database.ts';

const database = beforeTests(() => openTestDatabase());
let server: ManagementServer | null = null;
const errors: unknown[] = [];
afterEach(async () => {
  await server?.close();
  server = null;
});

async function open(checks: Readonly<Record<string, Check>>, metrics: (() => Promise<string>)[] = []): Promise<void> {
  server = await startManagementServer({
    host: '127.0.0.1',
    port: 0,
    checks,
    metrics,
    onError: (error) => errors.push(error),
  });
}

function ask(path: string, method = 'GET') {
  return new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; text: string }>((resolve, reject) => {
    const outgoing = request({ port: server?.port, host: '127.0.0.1', path, method }, (incoming) => {
      let text = '';
      incoming.on('data', (chunk: Buffer) => {
        text += chunk.toString('utf8');
      });
      incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text }));
    });
    outgoing.on('error', reject).end();
  });
}

const schemaVersion = async (): Promise<number> => {
  const { rows } = await database.pool.query<{ version: number }>(
    'select max(version) as version from schema_migrations',
  );
  return rows[0]?.version ?? 0;
};

/** Creates an org with `count` waiting events. By the database's clock, the oldest has waited for `interval`. */
async function waitSince(interval: string, count = 1): Promise<void> {
  await database.pool.query(
    `insert into orgs (id, subdomain, company_name, created_at, last_updated_at)
     values ('00oacme', 'acme', 'Acme', now(), now())`,
  );
  await database.pool.query(
    `insert into log_inputs (org_id, uuid, published, queued_at, event_type, format, input)
     select '00oacme', gen_random_uuid(), clock_timestamp() - interval '3 days', clock_timestamp() - $1::interval / n,
       'test', 1, '' from generate_series(1, $2::integer) n`,
    [interval, count],
  );
}

describe('health', () => {
  test('is live whatever the checks say', async () => {
    await open({ database: () => new Promise(() => undefined) });
    const { status, headers, text } = await ask('/health/live');
    expect({ status, body: JSON.parse(text) as unknown }).toEqual({ status: 200, body: { status: 'live' } });
    expect(headers['cache-control']).toBe('no-store');
  });

  test('is ready with the database reachable, migrated, and the relay in time', async () => {
    await open(databaseChecks(database.db, await schemaVersion()));
    const { status, text } = await ask('/health/ready');
    expect(status).toBe(200);
    expect(JSON.parse(text)).toEqual({
      status: 'ready',
      checks: { database: 'ok', disk: 'ok', standby: 'ok', relay: 'ok' },
    });
  });

  test('is not ready before the migration of this build', async () => {
    await open(databaseChecks(database.db, (await schemaVersion()) + 1));
    const { status, text } = await ask('/health/ready');
    expect(status).toBe(503);
    expect(JSON.parse(text)).toMatchObject({
      status: 'unready',
      checks: { database: expect.stringContaining('needed') as string },
    });
  });

  test('is not ready when events wait too long for the relay', async () => {
    await waitSince('5 minutes');
    await open(databaseChecks(database.db, await schemaVersion()));
    const { status, text } = await ask('/health/ready');
    await database.pool.query('delete from log_inputs');
    await database.pool.query('delete from orgs');
    expect(status).toBe(503);
    expect(JSON.parse(text)).toMatchObject({ checks: { relay: 'events wait for the relay', database: 'ok' } });
  });

  test('says unreachable, and nothing else, of a database that is not there', async () => {
    const pool = createPool({
      connection: { host: '127.0.0.1', port: 1, user: 'nobody', database: 'nothing', password: 'hidden-secret' },
      maximumConnections: 1,
      applicationName: 'test',
      statementTimeoutMilliseconds: 1_000,
    });
    await open(databaseChecks(readerOver(pool), 1));
    const { status, text } = await ask('/health/ready');
    await pool.end();
    expect(status).toBe(503);
    expect(JSON.parse(text)).toEqual({
      status: 'unready',
      checks: { database: 'unreachable', disk: 'unreachable', standby: 'unreachable', relay: 'unreachable' },
    });
  });

  test('answers in bounded time although a check hangs', async () => {
    await open({ database: () => new Promise(() => undefined), other: () => Promise.resolve(null) });
    const startedAt = performance.now();
    const { status, text } = await ask('/health/ready');
    expect(performance.now() - startedAt).toBeLessThan(whileBusy(4_000));
    expect(status).toBe(503);
    expect(JSON.parse(text)).toMatchObject({ checks: { database: 'no answer', other: 'ok' } });
  });

  test('turns unready when the process stops, while it is still live', async () => {
    await open({});
    expect((await ask('/health/ready')).status).toBe(200);
    server?.drain();
    expect((await ask('/health/ready')).status).toBe(503);
    expect((await ask('/health/live')).status).toBe(200);
  });
});

describe('metrics', () => {
  test('have the series of the process and of the installation, with fixed labels', async () => {
    const metrics = createMetrics();
    metrics.observe({
      databasePool: () => ({ total: 5, idle: 3, waiting: 2 }),
      passwordQueueDepth: () => 4,
      backpressure: () => 'administrative',
    });
    metrics.requestAnswered({ operationId: 'getUser', status: 200, milliseconds: 3 });
    metrics.requestAnswered({ operationId: null, status: 404, milliseconds: 1 });
    metrics.relayDrained({ events: 7, lagMilliseconds: 20, milliseconds: 30 });
    metrics.jobFinished({ kind: 'mail.send', result: 'done', milliseconds: 12 });
    metrics.eventsSealed({ events: 9, segments: 2 });
    metrics.sealingFailed();
    await open({}, [() => metrics.registry.metrics(), createInstallationMetrics(database.db, systemClock)]);
    const { status, headers, text } = await ask('/metrics');
    expect(status).toBe(200);
    expect(headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/);
    for (const line of [
      'gatehouse_http_requests_total{operation="getUser",status="2xx"} 1',
      'gatehouse_http_requests_total{operation="none",status="4xx"} 1',
      'gatehouse_http_request_seconds_count{operation="getUser"} 1',
      'gatehouse_relay_events_total 7',
      'gatehouse_relay_drain_seconds_bucket{le="0.025"} 0',
      'gatehouse_relay_drain_seconds_bucket{le="0.05"} 1',
      'gatehouse_backpressure_level 1',
      'gatehouse_jobs_finished_total{kind="mail.send",result="done"} 1',
      'gatehouse_database_pool_connections{state="busy"} 2',
      'gatehouse_database_pool_connections{state="waiting"} 2',
      'gatehouse_password_queue_depth 4',
      'gatehouse_database_reachable 1',
      'gatehouse_log_backlog_events 0',
      'gatehouse_log_backlog_age_seconds 0',
      'gatehouse_log_partitions 6',
      'gatehouse_log_sealed_events_total 9',
      'gatehouse_log_sealed_segments_total 2',
      'gatehouse_log_sealing_errors_total 1',
      'gatehouse_log_unsealed_events 0',
      'gatehouse_log_sealing_lag_seconds 0',
      'gatehouse_log_sealing_blocked_orgs 0',
      'gatehouse_log_sinks_active 0',
      'gatehouse_log_sink_lag_events 0',
      'gatehouse_log_sink_failing_seconds 0',
      'gatehouse_jobs_dead 0',
    ]) {
      expect(text.split('\n')).toContain(line);
    }
    expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds /m);
    expect(text).toMatch(/^gatehouse_database_oldest_snapshot_seconds \d/m);
  });

  test('tell what waits for the relay by the clock of the database, and how far the sinks are behind', async () => {
    await waitSince('30 seconds', 12);
    await database.pool.query(`insert into log_heads (org_id, position) values ('00oacme', 500)`);
    await database.pool.query(
      `insert into log_sinks (org_id, id, kind, status, position, persisted_at, failing_since)
       values ('00oacme', 'a', 'stream', 'ACTIVE', 480, now(), now() - interval '90 seconds'),
         ('00oacme', 'b', 'stream', 'ACTIVE', 500, now(), null), ('00oacme', 'c', 'stream', 'STOPPED', 1, now(), null)`,
    );
    await open({}, [createInstallationMetrics(database.db, systemClock)]);
    const { text } = await ask('/metrics');
    await database.pool.query('delete from log_inputs');
    await database.pool.query('delete from orgs');
    const figures = Object.fromEntries(
      [...text.matchAll(/^(\w+) ([\d.]+)$/gm)].map(([, name, value]) => [name, value]),
    );
    expect(figures).toMatchObject({
      gatehouse_log_backlog_events: '12',
      gatehouse_log_sinks_active: '2',
      gatehouse_log_sink_lag_events: '20',
    });
    expect(Number(figures['gatehouse_log_backlog_age_seconds'])).toBeGreaterThanOrEqual(30);
    expect(Number(figures['gatehouse_log_backlog_age_seconds'])).toBeLessThan(300);
    expect(Number(figures['gatehouse_log_sink_failing_seconds'])).toBeGreaterThanOrEqual(90);
    expect(Number(figures['gatehouse_log_oldest_partition_seconds'])).toBeLessThan(8 * 86_400);
  });

  test('say of a lost database that it is lost, and give no figures of before', async () => {
    const pool = createPool({
      connection: { host: '127.0.0.1', port: 1, user: 'nobody', database: 'nothing' },
      maximumConnections: 1,
      applicationName: 'test',
      statementTimeoutMilliseconds: 1_000,
    });
    await open({}, [createInstallationMetrics(readerOver(pool), systemClock)]);
    const { status, text } = await ask('/metrics');
    await pool.end();
    expect(status).toBe(200);
    expect(text).toContain('gatehouse_database_reachable 0');
    expect(text).not.toContain('gatehouse_log_backlog_events');
  });

  test('that fail are a 500 without details', async () => {
    await open({}, [() => Promise.reject(new Error('secret detail'))]);
    const { status, text } = await ask('/metrics');
    expect({ status, text }).toEqual({ status: 500, text: '{"error":"internal error"}\n' });
    expect(errors).toHaveLength(1);
  });
});

test.each([
  ['/', 'GET', 404],
  ['/health', 'GET', 404],
  ['/__proto__', 'GET', 404],
  ['/metrics', 'POST', 405],
  ['/health/ready?verbose=1', 'GET', 200],
])('%s by %s is %i', async (path, method, status) => {
  await open({});
  expect((await ask(path, method)).status).toBe(status);
});
