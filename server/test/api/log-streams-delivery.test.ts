import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createOutbound } from '../../src/platform/outbound/index.ts';
import { beforeTests } from '../support/before-tests.ts';
import { until } from '../support/hook-receiver.ts';
import { createBatchCheck } from '../support/log-batch-check.ts';
import {
  AWS,
  bodiesIn,
  expectedAuthorization,
  ledgerOf,
  openStream,
  removeStreams,
  SECRET,
  SETTINGS,
  startLogStreamReceiver,
} from '../support/log-stream-receiver.ts';
import { startTestService, type TestOrg } from '../support/service.ts';
import { useService } from '../support/use-service.ts';

let org: TestOrg;
let dataDirectory: string;
beforeAll(async () => {
  dataDirectory = await mkdtemp(join(tmpdir(), 'gatehouse-data-'));
});
afterAll(() => rm(dataDirectory, { recursive: true }));
const receiver = beforeTests(startLogStreamReceiver);
const { service } = useService(() => ({
  outbound: receiver.outbound(),
  awsAccount: { ...AWS, eventBridgeUrl: receiver.eventBridgeUrl },
  dataDirectory,
}));

beforeEach(async () => {
  await removeStreams(service.database);
  receiver.reset();
  org = await service.newOrg();
});

async function createUsers(count: number): Promise<void> {
  for (let made = 0; made < count; made += 1) await org.createUser({ profile: { firstName: 'Åda "L"\\' } });
  await service.drained();
}

/** Creates users, and returns the events that follow the position `before` in the ledger. */
async function happen(count: number, before: number): Promise<string[]> {
  await createUsers(count);
  return ledgerOf(service, org, before);
}
const taken = (): string[] => receiver.taken.flatMap(bodiesIn);
const cameAll = (events: readonly string[]) => until('all events', () => taken().length >= events.length);
const head = async (): Promise<number> => {
  await service.drained();
  return (await ledgerOf(service, org)).length;
};

describe('Splunk', () => {
  test.each([
    ['aws', 'http-inputs-acme.splunk.example'],
    ['gcp', 'http-inputs.acme.splunk.example'],
    ['aws_govcloud', 'http-inputs.acme.splunk.example'],
  ] as const)('in %s gets every event as it is stored, once and in order', async (edition, host) => {
    const before = await head();
    await openStream(service, org, { ...SETTINGS.splunk, edition });
    const events = await happen(4, before);
    await cameAll(events);
    expect(taken()).toEqual(events);
    for (const request of receiver.requests) {
      expect(request).toMatchObject({
        host,
        url: '/services/collector/event',
        headers: { authorization: `Splunk ${SECRET}`, 'content-type': 'application/json' },
      });
      for (const line of request.text.split('\n')) {
        const { event, host: orgHost, source, sourcetype, time } = JSON.parse(line);
        expect({ orgHost, source, sourcetype }).toEqual({
          orgHost: org.hostname,
          source: 'system-log',
          sourcetype: '_json',
        });
        expect(time).toBe(Date.parse(event.published) / 1_000);
      }
    }
  });
});

describe('EventBridge', () => {
  test('gets every event, ten at a time, in requests that are signed', async () => {
    const before = await head();
    await openStream(service, org, SETTINGS.eventBridge, null);
    const events = await happen(24, before);
    await cameAll(events);
    expect(taken()).toEqual(events);
    expect(events.length).toBeGreaterThan(20);
    for (const request of receiver.requests) {
      expect(request.headers).toMatchObject({
        'content-type': 'application/x-amz-json-1.1',
        'x-amz-target': 'AWSEvents.PutEvents',
        'x-amz-security-token': AWS.sessionToken,
      });
      const names = 'content-type;host;x-amz-date;x-amz-security-token;x-amz-target';
      expect(request.headers.authorization).toContain(`SignedHeaders=${names},`);
      expect(request.headers.authorization).toBe(expectedAuthorization(request, 'eu-west-1'));
      const { Entries } = JSON.parse(request.text);
      expect(Entries.length).toBeLessThanOrEqual(10);
      for (const entry of Entries) {
        const detail = JSON.parse(entry.Detail);
        expect(entry).toEqual({
          Source: 'acme-log',
          DetailType: detail.eventType,
          Detail: expect.any(String),
          Time: Date.parse(detail.published) / 1_000,
          EventBusName: 'arn:aws:events:eu-west-1:123456789012:event-bus/acme-log',
          Resources: [expect.stringMatching(/^00o/)],
        });
      }
    }
  });
});

describe('https_ndjson', () => {
  test.each([false, true])('gets every event a line (compressed: %s), signed, without a gap', async (gzip) => {
    const before = await head();
    await openStream(service, org, { ...SETTINGS.https, gzip });
    const events = await happen(5, before);
    await cameAll(events);
    expect(taken()).toEqual(events);
    const check = createBatchCheck(SECRET, () => service.clock.now());
    let next = before + 1;
    for (const { headers, raw, text, url } of receiver.requests) {
      expect(url).toBe('/in');
      expect(headers['content-type']).toBe('application/x-ndjson');
      expect(raw.subarray(0, 2).equals(Buffer.from([0x1f, 0x8b]))).toBe(gzip);
      expect(check(headers, text)).toBe('take');
      expect(headers['x-svc-log-first-position']).toBe(String(next));
      const count = text.split('\n').length - 1;
      expect(headers['x-svc-log-count']).toBe(String(count));
      next += count;
      expect(headers['x-svc-log-last-position']).toBe(String(next - 1));
    }
  });

  test('can be told from forgeries, old batches and repetitions (attack 103)', async () => {
    const before = await head();
    await openStream(service, org, SETTINGS.https);
    await cameAll(await happen(1, before));
    const [request] = receiver.requests;
    if (request === undefined) throw new Error('nothing came');
    const { headers, text } = request;
    const newCheck = (secret = SECRET, minutes = 0) =>
      createBatchCheck(secret, () => new Date(service.clock.now().getTime() + minutes * 60_000));
    const check = newCheck();
    expect(check(headers, text)).toBe('take');
    expect(check(headers, text)).toBe('seen');
    const signature = String(headers['x-svc-log-signature']);
    for (const change of [
      { 'x-svc-log-batch': '00000000-0000-8000-8000-000000000000' },
      { 'x-svc-log-signature': signature.replace(/t=\d/, 't=9') },
      { 'x-svc-log-signature': signature.replace(/.$/, (last) => (last === '0' ? '1' : '0')) },
      { 'x-svc-log-signature': 't=1,v1=' },
      { 'x-svc-log-signature': undefined },
    ]) {
      expect(newCheck()({ ...headers, ...change }, text)).toBe('forged');
    }
    expect(newCheck()(headers, text.replace('user.', 'User.'))).toBe('forged');
    expect(newCheck('another secret')(headers, text)).toBe('forged');
    for (const minutes of [6, -6]) expect(newCheck(SECRET, minutes)(headers, text)).toBe('old');
  });
});

describe('file_ndjson', () => {
  const currentOf = (id: string): string => join(dataDirectory, 'log-streams', org.id, id, 'current.ndjson');

  test('has every event a line, once and in order', async () => {
    const before = await head();
    const id = await openStream(service, org, SETTINGS.file, null);
    const events = await happen(12, before);
    const lines = async (): Promise<string[]> =>
      (await readFile(currentOf(id), 'utf8').catch(() => '')).split('\n').slice(0, -1);
    await until('all lines', async () => (await lines()).length >= events.length);
    expect(await lines()).toEqual(events);
  });

  test('is gone a minute after the stream was deleted', async () => {
    const own = await service.newOrg();
    const made = await own.admin.post('/api/v1/logStreams', {
      body: { name: 'files', type: 'file_ndjson', settings: { maximumMegabytes: 1, maximumFiles: 1 } },
    });
    await own.createUser();
    const folder = join(dataDirectory, 'log-streams', own.id, made.body.id);
    await until('the file', async () => existsSync(join(folder, 'current.ndjson')));
    expect((await own.admin.del(`/api/v1/logStreams/${made.body.id}`)).status).toBe(204);
    await service.application.jobs.runDue();
    expect(existsSync(folder)).toBe(true);
    service.clock.advance(61_000);
    await service.application.jobs.runDue();
    await until('the folder to be gone', async () => !existsSync(folder));
  });

  test('has what a process wrote that ended before the cursor was moved once', async () => {
    const before = await head();
    const id = await openStream(service, org, SETTINGS.file, null);
    const [one, two] = [await happen(2, before), await happen(1, before)];
    const text = () => readFile(currentOf(id), 'utf8').catch(() => '');
    await until('the lines', async () => (await text()).split('\n').length > two.length);
    await until('the cursor', async () => (await cursorOf(id)) === before + two.length);
    const last = await lastBatchOf(id);
    // The test sets the cursor back, as if the process had died between sending the last batch and moving the cursor.
    await service.database.pool.query(
      `update log_sinks set position = $3, flight_position = $4, flight_attempts = 1,
         persisted_at = (persisted_at at time zone 'UTC' - interval '1 day') at time zone 'UTC'
       where org_id = $1 and id = $2`,
      [org.id, id, last.first - 1, last.last],
    );
    const all = await happen(1, before);
    await until('the cursor', async () => (await cursorOf(id)) === before + all.length);
    expect(one.length).toBeGreaterThan(0);
    expect((await text()).split('\n').slice(0, -1)).toEqual(all);
  });

  const cursorOf = async (id: string): Promise<number> => {
    const text = 'select position from log_sinks where org_id = $1 and id = $2';
    const { rows } = await service.database.pool.query<{ position: string }>(text, [org.id, id]);
    return Number(rows[0]?.position);
  };
  const lastBatchOf = async (id: string): Promise<{ first: number; last: number }> => {
    const text = `select first_position as first, last_position as last from log_deliveries
      where org_id = $1 and sink_id = $2 order by number desc limit 1`;
    const { rows } = await service.database.pool.query<{ first: string; last: string }>(text, [org.id, id]);
    return { first: Number(rows[0]?.first), last: Number(rows[0]?.last) };
  };
});

test('a stream sends nothing of another org, and nothing from before it was opened', async () => {
  const other = await service.newOrg();
  await createUsers(2);
  const before = await head();
  await openStream(service, org, SETTINGS.https);
  await other.createUser();
  const events = await happen(1, before);
  await cameAll(events);
  expect(taken()).toEqual(events);
});

describe('an address inside (attack 101)', () => {
  test.each([
    ['127.0.0.1', 4],
    ['169.254.169.254', 4],
    ['10.0.0.7', 4],
    ['::1', 6],
    ['::ffff:169.254.169.254', 6],
  ] as const)('%s is never reached, by whatever name', async (address, family) => {
    const guarded = createOutbound({ networks: [], lookup: () => Promise.resolve([{ address, family }]) });
    const inside = await startTestService({ outbound: guarded, awsAccount: { ...AWS, eventBridgeUrl: null } });
    try {
      const literal = family === 6 ? `[${address}]` : address;
      const ids = [
        await openStream(inside, inside.org, SETTINGS.https),
        await openStream(inside, inside.org, { ...SETTINGS.https, url: `https://${literal}/latest/meta-data` }),
        await openStream(inside, inside.org, SETTINGS.splunk),
        await openStream(inside, inside.org, SETTINGS.eventBridge, null),
      ];
      await inside.org.createUser();
      const reasons = async (): Promise<string[]> => {
        const text = `select distinct on (sink_id) outcome || ': ' || reason as told from log_deliveries
          where org_id = $1 and sink_id = any($2)`;
        const { rows } = await inside.database.pool.query<{ told: string }>(text, [inside.org.id, ids]);
        return rows.map(({ told }) => told);
      };
      await until('the failures', async () => (await reasons()).length === ids.length);
      expect(await reasons()).toEqual(ids.map(() => 'FAILED: The host of the address may not be reached.'));
    } finally {
      await inside.close();
    }
  });
});
