import { Ajv } from 'ajv';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Context } from '../../kernel/context.ts';
import { toOrgId } from '../../kernel/words/ids.ts';
import { namespaceOf } from '../../kernel/words/namespace.ts';
import { systemContext } from '../access/system-context.ts';
import { LogEventSchema } from '../contract.ts';
import { type JsonObject, MAXIMUM_STRING_LENGTH, type NewEvent } from '../write/event.ts';
import { createInputWriter } from '../write/event-facts.ts';
import { createEventRenderer } from './event-text.ts';
import { searchTermsOf } from './terms/search-terms.ts';

const now = new Date('2026-11-20T12:00:00.123Z');
const job = systemContext({ orgId: toOrgId('00o1'), namespace: namespaceOf('svc'), name: 'relay', now });
const request: Context = {
  ...job,
  requestId: 'req1',
  transactionType: 'WEB',
  principal: { kind: 'apiToken', tokenId: '00T1', userId: '00u1' },
  actor: { id: '00u1', type: 'User', alternateId: 'ada@example.com', displayName: 'Ada' },
  client: {
    ipAddress: '203.0.113.9',
    ipChain: ['203.0.113.9', '2001:db8::1'],
    userAgent: { rawUserAgent: 'curl/8', os: 'Unknown', browser: 'UNKNOWN' },
    device: 'Unknown',
    deviceFingerprint: 'print',
    acceptLanguage: null,
  },
  requestUri: '/api/v1/users',
  url: '/api/v1/users?activate=true',
};
const PLACE = {
  city: 'Dublin',
  state: 'California',
  country: 'United States',
  postalCode: '94568',
  geolocation: { lat: 37.7201, lon: -121.919 },
};
const uuid = 'c232ab00-9414-11ec-bfff-0123456789ab';

const ajv = new Ajv({ formats: { uuid: true, 'date-time': true } });
const validate = ajv.compile(LogEventSchema);

const places = {
  placeOf: (address: string) =>
    address === '203.0.113.9'
      ? { city: 'Dublin', state: 'California', country: 'United States', postalCode: '94568', geolocation: DUBLIN }
      : null,
  networkOf: (address: string) =>
    address === '203.0.113.9'
      ? { asNumber: 64_500, asOrg: 'Example', isp: null, domain: 'example.net', isProxy: false }
      : null,
};
const DUBLIN = { lat: 37.7201, lon: -121.919 };
const render = createEventRenderer();
const inputOf = createInputWriter(places);

const write = (context: Context, event: NewEvent, id: string, by = render) =>
  by(context.orgId, { uuid: id, published: context.now, input: inputOf(context, event) });

/** Writes an event, and checks that its search terms match its text, whatever was cached from earlier events. */
function buildEvent(context: Context, event: NewEvent, id: string): JsonObject {
  const { text, tokens } = write(context, event, id);
  const parsed = JSON.parse(text) as JsonObject;
  expect([...tokens]).toEqual(searchTermsOf(context.orgId, parsed));
  return parsed;
}

test('a request of an API token, whole', () => {
  const target = [{ id: '00u2', type: 'User', alternateId: 'bob@example.com', displayName: 'Bob' }];
  const event = buildEvent(request, { eventType: 'user.lifecycle.suspend', target }, uuid);
  expect(event).toEqual({
    uuid,
    published: '2026-11-20T12:00:00.123Z',
    eventType: 'user.lifecycle.suspend',
    version: '0',
    severity: 'INFO',
    legacyEventType: null,
    displayMessage: 'User suspended',
    actor: { id: '00u1', type: 'User', alternateId: 'ada@example.com', displayName: 'Ada', detailEntry: null },
    client: {
      userAgent: { rawUserAgent: 'curl/8', os: 'Unknown', browser: 'UNKNOWN' },
      zone: 'null',
      device: 'Unknown',
      id: null,
      ipAddress: '203.0.113.9',
      geographicalContext: PLACE,
    },
    device: null,
    authenticationContext: {
      authenticationProvider: null,
      credentialProvider: null,
      credentialType: null,
      issuer: null,
      externalSessionId: null,
      interface: null,
      authenticationStep: 0,
      rootSessionId: null,
    },
    outcome: { result: 'SUCCESS', reason: null },
    target: [
      {
        id: '00u2',
        type: 'User',
        alternateId: 'bob@example.com',
        displayName: 'Bob',
        detailEntry: null,
        changeDetails: null,
      },
    ],
    transaction: { type: 'WEB', id: 'req1', detail: { requestApiTokenId: '00T1' } },
    debugContext: {
      debugData: {
        requestId: 'req1',
        deviceFingerprint: 'print',
        requestUri: '/api/v1/users',
        url: '/api/v1/users?activate=true',
      },
    },
    securityContext: {
      asNumber: 64_500,
      asOrg: 'Example',
      isp: null,
      domain: 'example.net',
      isProxy: false,
      ipDetails: null,
      userBehaviors: null,
      risk: null,
      botProtection: null,
    },
    request: {
      ipChain: [
        { ip: '203.0.113.9', geographicalContext: PLACE, version: 'V4', source: null, ipDetails: null },
        { ip: '2001:db8::1', geographicalContext: null, version: 'V6', source: null, ipDetails: null },
      ],
    },
  });
  expect(validate(event), JSON.stringify(validate.errors)).toBe(true);
});

test('a job: no user agent, no address data, no target', () => {
  const event = buildEvent(job, { eventType: 'system.log.cursor.skip', debugData: { skipped: '3' } }, uuid);
  expect(event).toMatchObject({
    severity: 'WARN',
    client: { userAgent: null, device: null, ipAddress: null },
    target: null,
    transaction: { type: 'JOB', detail: {} },
    debugContext: { debugData: { requestId: job.requestId, skipped: '3' } },
    request: { ipChain: [] },
  });
  expect(validate(event), JSON.stringify(validate.errors)).toBe(true);
});

test('what the event says wins over context and catalogue', () => {
  const event = buildEvent(
    request,
    {
      eventType: 'user.account.lock',
      actor: { id: '00u9', type: 'User', alternateId: 'eve@example.com', displayName: 'Eve' },
      outcome: { result: 'FAILURE', reason: 'LOCKED_OUT' },
      severity: 'ERROR',
      displayMessage: 'Own words',
      authentication: { credentialProvider: '{WORD}_CREDENTIAL_PROVIDER', rootSessionId: '102' },
      target: [{ id: 'a', type: 'User', changeDetails: { from: { city: 'A' }, to: { city: 'B' } } }],
    },
    uuid,
  );
  expect(event).toMatchObject({
    actor: { id: '00u9' },
    outcome: { result: 'FAILURE', reason: 'LOCKED_OUT' },
    severity: 'ERROR',
    displayMessage: 'Own words',
    authenticationContext: { credentialProvider: 'SVC_CREDENTIAL_PROVIDER', rootSessionId: '102' },
    target: [{ alternateId: null, changeDetails: { from: { city: 'A' }, to: { city: 'B' } } }],
  });
  expect(validate(event), JSON.stringify(validate.errors)).toBe(true);
});

test('hostile text is cut and made storable', () => {
  const raw = `nul\0 lone\ud800 ${'x'.repeat(10_000)}`;
  const userAgent = { ...request.client.userAgent, rawUserAgent: raw };
  const event = buildEvent(
    { ...request, client: { ...request.client, userAgent } },
    { eventType: 'user.lifecycle.create', outcome: { result: 'FAILURE', reason: 'r'.repeat(300) } },
    uuid,
  );
  const text = JSON.stringify(event);
  expect(text).toContain('nul\uFFFD lone\uFFFD x');
  expect(text).not.toMatch(/\\u0000|\\ud800/);
  expect(text.length).toBeLessThan(MAXIMUM_STRING_LENGTH + 3_000);
  expect(event).toMatchObject({ outcome: { reason: 'r'.repeat(255) } });
});

const user = { id: '00u1', type: 'User', alternateId: 'ada@example.com', displayName: 'Ada' };
const app = { id: '0oa1', type: 'PublicClientApp', alternateId: '0oa1', displayName: 'Collector' };
const nobody = { id: 'unknown', type: 'User', alternateId: 'unknown', displayName: 'unknown' };
const NOTHING = {
  authenticationProvider: null,
  credentialProvider: null,
  credentialType: null,
  issuer: null,
  externalSessionId: null,
  interface: null,
  authenticationStep: 0,
  rootSessionId: null,
};

describe('who asks, and what proved it', () => {
  const idHash = Buffer.alloc(32);
  test.each<[string, Partial<Context>, object, object]>([
    ['an API token', {}, NOTHING, { client: { id: null }, transaction: { detail: { requestApiTokenId: '00T1' } } }],
    [
      'a session',
      {
        principal: { kind: 'session', idHash, externalSessionId: '102a', rootSessionId: '102b', userId: '00u1' },
        actor: user,
      },
      {
        ...NOTHING,
        authenticationProvider: 'SVC_AUTHENTICATION_PROVIDER',
        credentialType: 'SVC_CLIENT_SESSION',
        externalSessionId: '102a',
        rootSessionId: '102b',
      },
      { client: { id: null }, transaction: { detail: {} } },
    ],
    [
      'a client with an access token',
      {
        principal: { kind: 'oauthClient', clientId: '0oa1', tokenId: 'AT.1', issuer: 'https://acme.localhost' },
        actor: app,
      },
      { ...NOTHING, credentialType: 'OAuth 2.0', issuer: { id: 'https://acme.localhost', type: 'OAUTH2' } },
      { client: { id: '0oa1' }, transaction: { detail: { requestApiTokenId: 'AT.1' } } },
    ],
    [
      'a client at an endpoint of its own',
      { principal: { kind: 'anonymous' }, actor: app },
      NOTHING,
      { client: { id: '0oa1' }, transaction: { detail: {} } },
    ],
    ['nobody', { principal: { kind: 'anonymous' }, actor: nobody }, NOTHING, { client: { id: null } }],
  ])('%s', (_, given, authenticationContext, more) => {
    const event = buildEvent({ ...request, ...given }, { eventType: 'user.session.end' }, uuid);
    expect(event).toMatchObject({ authenticationContext, ...more });
    expect(validate(event), JSON.stringify(validate.errors)).toBe(true);
  });
});

test('zones by name; a part of the service that speaks of a client names it', () => {
  const zoned = { ...request.client, zoneNames: () => ['Office', 'Berlin'] };
  const event = { eventType: 'security.credential.refuse' } as const;
  expect(buildEvent({ ...request, client: zoned }, event, uuid)).toMatchObject({ client: { zone: 'Office, Berlin' } });
  const none = { ...request.client, zoneNames: () => [] };
  expect(buildEvent({ ...request, client: none }, event, uuid)).toMatchObject({ client: { zone: 'null' } });
  expect(buildEvent({ ...job, client: zoned }, event, uuid)).toMatchObject({
    client: { zone: 'Office, Berlin', device: 'Unknown', ipAddress: '203.0.113.9', geographicalContext: PLACE },
    transaction: { type: 'JOB' },
    request: { ipChain: [{ ip: '203.0.113.9' }, { ip: '2001:db8::1' }] },
  });
});

const anyText = fc.oneof(fc.string({ unit: 'binary', maxLength: 60 }), fc.constantFrom('', 'Ada L', 'a-b', '1:a -'));

test('whatever is kept, each event is its own: written by one writer as by a new one', () => {
  const few = fc.constantFrom('', 'a', 'a b', '1:a', 'x-y', '\ud800', 'nul\0', 'ünï');
  const given = fc.record({ id: few, name: few, agent: fc.option(few, { nil: null }), zone: few, reason: anyText });
  fc.assert(
    fc.property(given, ({ agent, id, name, reason, zone }) => {
      const context: Context = {
        ...request,
        actor: { id, type: 'User', alternateId: name, displayName: zone },
        client: {
          ...request.client,
          userAgent: { rawUserAgent: agent, os: name, browser: id },
          zoneNames: () => [zone, name],
        },
      };
      const event: NewEvent = {
        eventType: 'user.account.lock',
        displayMessage: name,
        outcome: { result: 'FAILURE', reason },
        target: [{ id, type: 'User', displayName: reason, detailEntry: { [reason]: name } }],
      };
      expect(buildEvent(context, event, uuid)).toEqual(
        JSON.parse(write(context, event, uuid, createEventRenderer()).text),
      );
    }),
    { numRuns: 300 },
  );
});
