import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { toOrgId } from '../../../kernel/words/ids.ts';
import { namespaceOf } from '../../../kernel/words/namespace.ts';
import type { OutboundAnswer } from '../../../platform/outbound/index.ts';
import type { SinkBatch } from '../../../system-log/index.ts';
import { eventBridgeRequest, eventBridgeResult } from './delivery-eventbridge.ts';
import { httpsRequest } from './delivery-https.ts';
import { resultOfStatus } from './delivery-outcome.ts';
import { splunkRequest, splunkResult, splunkUrl } from './delivery-splunk.ts';

const SPLUNK = 'splunk_cloud_logstreaming';
const HTTPS = { type: 'https_ndjson', url: 'https://a.example' } as const;
const NOW = new Date('2026-11-20T12:00:00.000Z');

const answer = (status: number, body: unknown = '', headers: OutboundAnswer['headers'] = {}): OutboundAnswer => ({
  status,
  headers,
  body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
});

const BATCH: SinkBatch = {
  orgId: toOrgId('00o1'),
  sinkId: '0oa1',
  id: '6f0f2f3e-0000-8000-8000-000000000000',
  events: [1, 2].map((position) => ({
    position,
    uuid: `uuid-${position}`,
    published: new Date(`2026-11-20T11:59:59.05${position}Z`),
    eventType: 'user.session.start',
    body: `{"uuid":"uuid-${position}","n":10000000000000000000${position},"text":"é\\"\\\\"}`,
  })),
  attempt: 1,
  now: NOW,
  checkpoint: null,
};

describe('what a status means', () => {
  test.each([
    [200, 'delivered'],
    [204, 'delivered'],
    [400, 'refused'],
    [413, 'refused'],
    [422, 'refused'],
    [301, 'failed'],
    [401, 'failed'],
    [403, 'failed'],
    [404, 'failed'],
    [408, 'failed'],
    [429, 'failed'],
    [500, 'failed'],
    [503, 'failed'],
  ])('%i: %s', (status, outcome) => {
    expect(resultOfStatus(answer(status, 'a secret page'), NOW)).toMatchObject({ outcome, status });
    expect(JSON.stringify(resultOfStatus(answer(status, 'a secret page'), NOW))).not.toContain('secret');
  });

  test.each(['url', 'port', 'address', 'unreachable', 'timeout', 'status'] as const)('no answer: %s', (reason) => {
    for (const result of [resultOfStatus, splunkResult, eventBridgeResult]) {
      expect(result({ reason }, NOW)).toEqual({ outcome: 'failed', status: null, reason: expect.any(String) });
    }
  });

  test.each<[string | string[] | undefined, number | undefined]>([
    ['86400', 300_000],
    ['Fri, 20 Nov 2026 12:00:30 GMT', 30_000],
    ['soon', undefined],
    [['1', '2'], undefined],
    [undefined, undefined],
  ])('Retry-After %j: %j', (value, milliseconds) => {
    const headers = value === undefined ? {} : { 'retry-after': value };
    expect(resultOfStatus(answer(503, '', headers), NOW)).toEqual({
      outcome: 'failed',
      status: 503,
      reason: 'The host answered 503.',
      ...(milliseconds === undefined ? {} : { retryAfterMilliseconds: milliseconds }),
    });
  });
});

describe('Splunk', () => {
  test.each([
    ['aws', 'https://http-inputs-acme.splunkcloud.com/services/collector/event'],
    ['gcp', 'https://http-inputs.acme.splunkcloud.com/services/collector/event'],
    ['aws_govcloud', 'https://http-inputs.acme.splunkcloud.com/services/collector/event'],
  ] as const)('%s is found at %s', (edition, url) => {
    expect(splunkUrl({ type: SPLUNK, host: 'acme.splunkcloud.com', edition })).toBe(url);
  });

  test('gets events one after another, as they are stored', () => {
    const { body, headers } = splunkRequest(
      { type: SPLUNK, host: 'h', edition: 'aws' },
      'a token',
      'acme.example',
      BATCH,
    );
    expect(headers['Authorization']).toBe('Splunk a token');
    const common = '"host":"acme.example","source":"system-log","sourcetype":"_json"';
    expect(body).toBe(
      `{"time":1795175999.051,${common},"event":${BATCH.events[0]?.body}}\n` +
        `{"time":1795175999.052,${common},"event":${BATCH.events[1]?.body}}`,
    );
  });

  test.each<[number, unknown, string]>([
    [200, { text: 'Success', code: 0 }, 'delivered'],
    [200, { text: 'Success', code: 0, ackId: 1 }, 'delivered'],
    [403, { text: 'Token disabled', code: 1 }, 'failed'],
    [401, { text: 'Token is required', code: 2 }, 'failed'],
    [401, { text: 'Invalid authorization', code: 3 }, 'failed'],
    [403, { text: 'Invalid token', code: 4 }, 'failed'],
    [400, { text: 'No data', code: 5 }, 'refused'],
    [400, { text: 'Invalid data format', code: 6, 'invalid-event-number': 0 }, 'refused'],
    [400, { text: 'Incorrect index', code: 7 }, 'failed'],
    [500, { text: 'Internal server error', code: 8 }, 'failed'],
    [503, { text: 'Server is busy', code: 9 }, 'failed'],
    [400, { text: 'Data channel is missing', code: 10 }, 'failed'],
    [400, { text: 'Event field is required', code: 12 }, 'refused'],
    [400, { text: 'Event field cannot be blank', code: 13 }, 'refused'],
    [400, { text: 'Error in handling indexed fields', code: 15 }, 'refused'],
    [200, { text: 'Server is busy', code: 9 }, 'failed'],
    [200, 'a page', 'failed'],
    [200, { code: '0' }, 'failed'],
    [200, [0], 'failed'],
    [400, 'a page', 'failed'],
    [413, 'a page', 'refused'],
    [502, 'a page', 'failed'],
  ])('%i %j: %s', (status, body, outcome) => {
    const result = splunkResult(answer(status, body), NOW);
    expect(result).toMatchObject({ outcome, status });
    expect(JSON.stringify(result)).not.toContain('a page');
  });
});

describe('EventBridge', () => {
  const aws = { accessKeyId: 'AK', secretAccessKey: 'SK', sessionToken: null, eventBridgeUrl: null };
  const settings = {
    type: 'aws_eventbridge',
    accountId: '123456789012',
    eventSourceName: 'acme-log',
    region: 'eu-west-1',
  } as const;

  test('gets an entry an event, whose detail is the event as stored', () => {
    const { body, url } = eventBridgeRequest(aws, settings, BATCH);
    expect(url).toBe('https://events.eu-west-1.amazonaws.com/');
    expect(JSON.parse(String(body))).toEqual({
      Entries: BATCH.events.map((event, index) => ({
        Source: 'acme-log',
        DetailType: 'user.session.start',
        Detail: event.body,
        Time: Number(`1795175999.05${index + 1}`),
        EventBusName: 'arn:aws:events:eu-west-1:123456789012:event-bus/acme-log',
        Resources: [BATCH.orgId],
      })),
    });
  });

  test.each([
    ['us-gov-west-1', 'https://events.us-gov-west-1.amazonaws.com/', 'arn:aws-us-gov:events:us-gov-west-1:'],
    ['cn-north-1', 'https://events.cn-north-1.amazonaws.com.cn/', 'arn:aws-cn:events:cn-north-1:'],
  ])('of %s is another partition', (region, url, arn) => {
    const request = eventBridgeRequest(aws, { ...settings, region }, BATCH);
    expect(request.url).toBe(url);
    expect(request.body).toContain(arn);
  });

  const entries = (...codes: (string | null)[]) => ({
    FailedEntryCount: codes.filter((code) => code !== null).length,
    Entries: codes.map((code) => (code === null ? { EventId: 'x' } : { ErrorCode: code, ErrorMessage: 'a message' })),
  });

  test.each<[number, unknown, string]>([
    [200, entries(null, null), 'delivered'],
    [200, entries(null, 'InternalFailure'), 'failed'],
    [200, entries('ThrottlingException', 'MalformedDetail'), 'failed'],
    [200, entries(null, 'MalformedDetail'), 'refused'],
    [200, entries('EventSizeExceeded'), 'refused'],
    [200, entries('NotAuthorizedForSourceException'), 'failed'],
    [200, entries('AccessDeniedException'), 'failed'],
    [200, { FailedEntryCount: 1 }, 'failed'],
    [200, {}, 'failed'],
    [200, 'a page', 'failed'],
    [400, { __type: 'com.amazon.coral.service#ThrottlingException' }, 'failed'],
    [400, { __type: 'ExpiredTokenException' }, 'failed'],
    [400, { __type: 'ResourceNotFoundException' }, 'failed'],
    [400, { __type: 'com.amazon.coral.validate#ValidationException' }, 'refused'],
    [400, 'a page', 'failed'],
    [413, 'a page', 'refused'],
    [500, { __type: 'InternalException' }, 'failed'],
  ])('%i %j: %s', (status, body, outcome) => {
    const result = eventBridgeResult(answer(status, body), NOW);
    expect(result).toMatchObject({ outcome, status });
    expect(JSON.stringify(result)).not.toMatch(/a page|a message/);
  });

  test('codes that are none are not repeated', () => {
    const result = eventBridgeResult(answer(200, entries('<script>')), NOW);
    expect(result).toMatchObject({ reason: 'EventBridge did not take 1 of the events: unknown.' });
  });
});

test('https_ndjson: compressed or not, the same lines under the same signature', async () => {
  const [plain, packed] = await Promise.all(
    [false, true].map((gzip) => httpsRequest({ ...HTTPS, gzip }, 'key', namespaceOf('svc'), BATCH)),
  );
  expect(plain?.body).toBe(BATCH.events.map(({ body }) => `${body}\n`).join(''));
  expect(gunzipSync(packed?.body ?? '').toString('utf8')).toBe(plain?.body);
  expect(packed?.headers).toEqual({ ...plain?.headers, 'Content-Encoding': 'gzip' });
  expect(plain?.headers).not.toHaveProperty('X-Svc-Log-Checkpoint');
  const proved = await httpsRequest({ ...HTTPS, gzip: false }, 'key', namespaceOf('acme'), {
    ...BATCH,
    checkpoint: 'c',
  });
  expect(proved.headers).toMatchObject({ 'X-Acme-Log-Checkpoint': 'c', 'X-Acme-Log-Count': '2' });
});
