import { beforeEach, describe, expect, test } from 'vitest';
import type { LogStreamSettings } from '../../src/management/log-streams/settings/stream-types-rules.ts';
import { beforeTests } from '../support/before-tests.ts';
import { whileBusy } from '../support/cpu-time.ts';
import { until } from '../support/hook-receiver.ts';
import {
  type Answer,
  AWS,
  bodiesIn,
  ledgerOf,
  openStream,
  removeStreams,
  SECRET,
  SETTINGS,
  startLogStreamReceiver,
  takesAll,
} from '../support/log-stream-receiver.ts';
import { startTestService, type TestOrg } from '../support/service.ts';
import { useService } from '../support/use-service.ts';

// This file tests log streams whose targets are down, busy or slow, or send wrong responses (attack 102 in
// docs/security-rows.md).

const receiver = beforeTests(startLogStreamReceiver);
const { service } = useService(() => ({
  outbound: receiver.outbound(),
  awsAccount: { ...AWS, eventBridgeUrl: receiver.eventBridgeUrl },
}));
let org: TestOrg;
let streamId = '';
let before = 0;

beforeEach(async () => {
  // Streams that earlier tests left would deliver the events that the moved clock causes.
  await removeStreams(service.database);
  receiver.reset();
});

const MINUTE = 60_000;

async function open(settings: LogStreamSettings, secret: string | null = SECRET): Promise<void> {
  org = await service.newOrg();
  await service.drained();
  before = (await ledgerOf(service, org)).length;
  streamId = await openStream(service, org, settings, secret);
}

interface Delivery {
  readonly outcome: string;
  readonly status: number | null;
  readonly reason: string | null;
  readonly batch: string;
  readonly milliseconds: number;
}

async function deliveries(): Promise<readonly Delivery[]> {
  const text = `select outcome, status, reason, batch_id as batch, milliseconds from log_deliveries
    where org_id = $1 and sink_id = $2 order by number`;
  return (await service.database.pool.query<Delivery>(text, [org.id, streamId])).rows;
}
const failures = async () => (await deliveries()).filter(({ outcome }) => outcome === 'FAILED');
const deadLetters = async (): Promise<readonly { at: string; reason: string }[]> => {
  const text = 'select first_position as at, reason from log_dead_letters where org_id = $1 and sink_id = $2';
  return (await service.database.pool.query<{ at: string; reason: string }>(text, [org.id, streamId])).rows;
};
const answered =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (_, response) =>
    response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));

/** Makes deliveries fail for an hour by the test's clock, and causes events in each round. */
async function endure(answer: Answer, rounds = 3): Promise<void> {
  receiver.answerBy(answer);
  for (let round = 0; round < rounds; round += 1) {
    const count = (await failures()).length;
    await org.createUser();
    service.clock.advance((60 / rounds) * MINUTE);
    await until('another attempt', async () => (await failures()).length > count);
  }
}

/** Expects all events except those that `leftOut` matches, once and in order. */
async function recovers(leftOut: (body: string) => boolean = () => false): Promise<void> {
  receiver.answerBy(takesAll);
  service.clock.advance(61 * MINUTE);
  await org.createUser();
  await service.drained();
  const last = (await ledgerOf(service, org)).length;
  await until('everything', async () => (await positionNow()) >= last);
  await service.drained();
  // Background jobs may add events at any time, so events after `whole` are not checked.
  let whole: readonly string[] = [];
  const taken = (): readonly string[] => receiver.taken.flatMap(bodiesIn);
  await until('the rest', async () => {
    whole = (await ledgerOf(service, org, before)).filter((body) => !leftOut(body));
    return taken().length >= whole.length;
  });
  expect(taken().slice(0, whole.length)).toEqual(whole);
}
const positionNow = async (): Promise<number> => {
  const text = 'select position from log_sinks where org_id = $1 and id = $2';
  const { rows } = await service.database.pool.query<{ position: string }>(text, [org.id, streamId]);
  return Number(rows[0]?.position);
};

const partly = { FailedEntryCount: 1, Entries: [{ ErrorCode: 'ThrottlingException' }] };

describe('nothing is lost and nothing out of order after an hour in which', () => {
  test.each<[string, LogStreamSettings, Answer, string]>([
    [
      'Splunk is busy',
      SETTINGS.splunk,
      answered(503, { text: 'Server is busy', code: 9 }),
      'Splunk answered 503, code 9',
    ],
    ['Splunk knows no such token', SETTINGS.splunk, answered(403, { text: 'x', code: 4 }), 'the token is invalid'],
    [
      'a proxy answers for Splunk',
      SETTINGS.splunk,
      answered(200, '<html>a page'),
      'not one of an HTTP Event Collector',
    ],
    ['EventBridge throttles', SETTINGS.eventBridge, answered(400, { __type: 'ThrottlingException' }), 'Throttling'],
    ['EventBridge takes a part', SETTINGS.eventBridge, answered(200, partly), 'did not take 1 of the events'],
    ['EventBridge answers no JSON', SETTINGS.eventBridge, answered(200, '{"Fail'), 'not one of EventBridge'],
    ['a collector answers 500', SETTINGS.https, answered(500, 'an error page'), 'The host answered 500.'],
    ['a collector redirects', SETTINGS.https, answered(302, '', { location: 'https://127.0.0.1/' }), 'answered 302'],
    ['a collector hangs up', SETTINGS.https, (_, response) => response.destroy(), 'could not be reached'],
  ])('%s', async (_, settings, answer, reason) => {
    await open(settings, settings.type === 'aws_eventbridge' ? null : SECRET);
    await endure(answer);
    const log = await failures();
    expect(new Set(log.map(({ batch }) => batch)).size).toBe(1);
    for (const failure of log) expect(failure.reason).toContain(reason);
    expect(JSON.stringify(log)).not.toMatch(/a page|an error page/);
    await recovers();
    expect((await deliveries()).at(-1)).toMatchObject({ outcome: 'DELIVERED', status: 200, reason: null });
    const told = await org.systemLog(`eventType eq "system.log_stream.delivery" and target.id eq "${streamId}"`);
    expect(told.map(({ outcome }) => outcome.result)).toEqual(['FAILURE', 'SUCCESS']);
    expect(await deadLetters()).toEqual([]);
    expect(JSON.stringify([await deliveries(), told])).not.toContain(SECRET);
  });

  test('a collector never answers: it is left after ten seconds', async () => {
    await open(SETTINGS.https);
    receiver.answerBy(() => undefined);
    await org.createUser();
    await until('the end of it', async () => (await failures()).length > 0);
    const [failure] = await failures();
    expect(failure).toMatchObject({ status: null, reason: 'The host did not answer within 10 seconds.' });
    expect(failure?.milliseconds).toBeGreaterThan(9_500);
    expect(failure?.milliseconds).toBeLessThan(whileBusy(13_000));
    await recovers();
  });
});

describe('an event that is refused for good is set aside, and what is around it comes', () => {
  const isPoison = (body: string): boolean => body.includes('Poison');
  const eachOf =
    (poisoned: Answer): Answer =>
    (request, response) =>
      (isPoison(request.text) ? poisoned : takesAll)(request, response);

  test.each<[string, LogStreamSettings, Answer]>([
    ['Splunk', SETTINGS.splunk, answered(400, { text: 'Invalid data format', code: 6, 'invalid-event-number': 1 })],
    [
      'EventBridge',
      SETTINGS.eventBridge,
      answered(200, { FailedEntryCount: 1, Entries: [{ EventId: 'x' }, { ErrorCode: 'MalformedDetail' }] }),
    ],
    ['a collector', SETTINGS.https, answered(422, '')],
  ])('by %s', async (_, settings, poisoned) => {
    await open(settings, settings.type === 'aws_eventbridge' ? null : SECRET);
    const came: string[] = [];
    receiver.answerBy((request, response) => {
      if (!isPoison(request.text)) came.push(...bodiesIn(request));
      eachOf(poisoned)(request, response);
    });
    await org.createUser();
    await org.createUser({ profile: { firstName: 'Poison' } });
    await org.createUser();
    await service.drained();
    const events = await ledgerOf(service, org, before);
    const bad = events.flatMap((body, index) => (isPoison(body) ? [before + index + 1] : []));
    expect(bad.length).toBeGreaterThan(0);
    const good = events.filter((body) => !isPoison(body));
    await until('the rest', () => good.every((body) => came.includes(body)));
    await until('the dead letters', async () => (await deadLetters()).length === bad.length);
    expect(came.filter((body) => good.includes(body))).toEqual(good);
    expect((await deadLetters()).map(({ at }) => Number(at)).sort((one, other) => one - other)).toEqual(bad);
    expect((await deliveries()).some(({ outcome }) => outcome === 'REFUSED')).toBe(true);
  });
});

test('Retry-After is heeded, up to five minutes', async () => {
  await open(SETTINGS.https);
  receiver.answerBy(answered(429, '', { 'retry-after': '3600' }));
  await org.createUser();
  await until('a failure', async () => (await failures()).length === 1);
  const text = 'select next_attempt_at as at from log_sinks where org_id = $1 and id = $2';
  const { rows } = await service.database.pool.query<{ at: Date }>(text, [org.id, streamId]);
  const wait = Number(rows[0]?.at) - service.clock.now().getTime();
  expect(wait).toBeGreaterThan(290_000);
  expect(wait).toBeLessThanOrEqual(300_000);
  await recovers();
});

test('a service without an AWS account says so', async () => {
  const poor = await startTestService({ outbound: receiver.outbound() });
  try {
    const id = await openStream(poor, poor.org, SETTINGS.eventBridge, null);
    await poor.org.createUser();
    const lastError = async () => {
      const text = 'select last_error as error from log_sinks where org_id = $1 and id = $2';
      const { rows } = await poor.database.pool.query<{ error: string | null }>(text, [poor.org.id, id]);
      return rows[0]?.error ?? null;
    };
    await until('a failure', async () => (await lastError()) !== null);
    expect(await lastError()).toBe('This service was given no AWS credentials.');
    expect(receiver.requests).toEqual([]);
  } finally {
    await poor.close();
  }
});
