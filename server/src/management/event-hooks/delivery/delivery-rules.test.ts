import { describe, expect, test } from 'vitest';
import { envelopeText, hookEventText, outcomeOfStatus } from './delivery-rules.ts';

describe('an event on its way to a hook', () => {
  test('has the chain of addresses in client too, and is otherwise as stored', () => {
    const stored = {
      uuid: 'u',
      client: { ipAddress: '203.0.113.1' },
      debugContext: { debugData: { ['__proto__']: 'a' } },
      request: { ipChain: [{ ip: '203.0.113.1', version: 'V4' }] },
    };
    const sent = JSON.parse(hookEventText(JSON.stringify(stored)));
    expect(sent).toEqual({ ...stored, client: { ...stored.client, ipChain: stored.request.ipChain } });
  });

  test.each(['{"erased":true}', '{"client":null,"request":{"ipChain":[]}}', '[]'])(
    'that has no client goes as it is: %s',
    (body) => expect(hookEventText(body)).toBe(body),
  );
});

test('the envelope is the contract’s', () => {
  const text = envelopeText({
    word: 'svc',
    source: 'https://acme.example/api/v1/eventHooks/who1',
    eventId: '5a6b',
    eventTime: '2026-11-20T12:00:00.000Z',
    events: ['{"uuid":"1"}', '{"uuid":"2"}'],
  });
  expect(JSON.parse(text)).toEqual({
    eventType: 'com.svc.event_hook',
    eventTypeVersion: '1.0',
    cloudEventsVersion: '0.1',
    source: 'https://acme.example/api/v1/eventHooks/who1',
    eventId: '5a6b',
    eventTime: '2026-11-20T12:00:00.000Z',
    contentType: 'application/json',
    data: { events: [{ uuid: '1' }, { uuid: '2' }] },
  });
});

test.each([
  [200, 'delivered'],
  [202, 'delivered'],
  [204, 'delivered'],
  [302, 'failed'],
  [400, 'refused'],
  [401, 'failed'],
  [403, 'failed'],
  [404, 'failed'],
  [408, 'failed'],
  [410, 'failed'],
  [413, 'refused'],
  [422, 'refused'],
  [429, 'failed'],
  [500, 'failed'],
  [503, 'failed'],
])('an answer %i means %s', (status, outcome) => expect(outcomeOfStatus(status)).toBe(outcome));
