import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import type { Context } from '../kernel/context.ts';
import { toOrgId } from '../kernel/ids.ts';
import { namespaceOf } from '../kernel/namespace.ts';
import { LogEventSchema } from './contract.ts';
import { buildEvent, MAXIMUM_STRING_LENGTH } from './event.ts';
import { systemContext } from './system-context.ts';

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
const uuid = 'c232ab00-9414-11ec-bfff-0123456789ab';

const ajv = new Ajv({ formats: { uuid: true, 'date-time': true } });
const validate = ajv.compile(LogEventSchema);

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
      geographicalContext: null,
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
      asNumber: null,
      asOrg: null,
      isp: null,
      domain: null,
      isProxy: null,
      ipDetails: null,
      userBehaviors: null,
      risk: null,
      botProtection: null,
    },
    request: {
      ipChain: [
        { ip: '203.0.113.9', geographicalContext: null, version: 'V4', source: null, ipDetails: null },
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
