import { describe, expect, test } from 'vitest';
import type { TestResponse } from '../support/client.ts';
import { exchange, rawConnection, requestText, secureTarget } from '../support/raw-connection.ts';
import { newProfile, startTestService } from '../support/service.ts';
import { useService } from '../support/use-service.ts';

const { service, org } = useService({ isShared: false });

const users = '/api/v1/users';
const REQUEST_ID = /^req[\w-]{22}$/;
const idOf = (response: TestResponse): string => String(response.headers['x-svc-request-id']);

/** These tests cover section 4.1.9 of the specification. */
describe('success', () => {
  test('is 200 with content', async () => {
    const created = await org.admin.post(users, { body: { profile: newProfile() } });
    expect(created).toMatchObject({ status: 200, body: { id: expect.any(String) } });
    expect(await org.admin.post(`${users}/${created.body.id}/lifecycle/deactivate`)).toMatchObject({
      status: 200,
      body: {},
    });
  });

  test('is 204 without a body', async () => {
    const { id } = await org.createUser();
    await org.admin.del(`${users}/${id}`);
    const deleted = await org.admin.del(`${users}/${id}`);
    expect(deleted).toMatchObject({ status: 204, text: '' });
    expect(deleted.headers['content-type']).toBeUndefined();
    expect(deleted.headers['content-length']).toBeUndefined();
  });
});

/** These tests cover section 4.1.10 of the specification. */
describe('X-Svc-Request-Id', () => {
  test.each<[string, string, number]>([
    ['GET', '/api/v1/org', 200],
    ['GET', '/nowhere', 404],
    ['PATCH', users, 405],
    ['POST', users, 400],
    ['GET', `${users}/%zz`, 400],
    ['GET', '/', 200],
    ['GET', '/oauth2/default/.well-known/nothing', 404],
    ['OPTIONS', users, 405],
  ])('%s %s (%d) has one of its own', async (method, path, status) => {
    const client = org.client({ authorization: `SSWS ${org.adminToken}` });
    const [one, two] = [await client.send(method, path), await client.send(method, path)];
    expect([one.status, two.status]).toEqual([status, status]);
    expect(idOf(one)).toMatch(REQUEST_ID);
    expect(idOf(two)).not.toBe(idOf(one));
  });

  test.each([
    ['a fault of the parser', 'garbage\r\n\r\n'],
    ['a missing Host', 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n'],
    ['an unknown method', 'FOO / HTTP/1.1\r\nHost: localhost\r\n\r\n'],
    ['CONNECT', 'CONNECT example.com:443 HTTP/1.1\r\nHost: localhost\r\n\r\n'],
    ['HTTP/2 without negotiation', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['an unknown host', 'GET / HTTP/1.1\r\nHost: nobody.localhost\r\nConnection: close\r\n\r\n'],
  ])('%s has one, and the error object', async (_name, text) => {
    const [answer] = await exchange(service, org, text);
    expect(answer?.headers['x-svc-request-id']).toEqual([expect.stringMatching(REQUEST_ID)]);
    expect(answer?.body).toMatchObject({ errorCode: expect.stringMatching(/^E\d{7}$/), errorCauses: [] });
    expect(service.logged()).toContain(answer?.body?.['errorId']);
  });

  test('an unknown Expect is not answered by Node itself', async () => {
    const headers = ['Expect: the-unexpected', 'Content-Length: 0', 'Connection: close'];
    const [answer] = await exchange(service, org, requestText(org, 'POST /api/v1/org', headers));
    expect(answer).toMatchObject({ status: 401, headers: { 'x-svc-request-id': [expect.any(String)] } });
  });

  test('HEAD has one, and Allow', async () => {
    const connection = rawConnection(secureTarget(service, org));
    connection.send(requestText(org, `HEAD ${users}`, ['Connection: close']));
    await connection.closed;
    expect(connection.text()).toMatch(/^HTTP\/1\.1 405 /);
    expect(connection.text()).toMatch(/\r\nx-svc-request-id: req[\w-]{22}\r\n/i);
    expect(connection.text()).toMatch(/\r\nallow: GET, POST\r\n/i);
    expect(connection.text()).toMatch(/\r\n\r\n$/);
  });

  test('a client cannot choose it', async () => {
    const response = await org.admin.get('/api/v1/org', {
      headers: { 'x-svc-request-id': 'mine', 'x-request-id': 'mine' },
    });
    expect(idOf(response)).toMatch(REQUEST_ID);
  });

  test('is the transaction id of all events that the request caused, and of no others', async () => {
    const response = await org.admin.post(`${users}?activate=true`, { body: { profile: newProfile() } });
    const events = await org.systemLog(`target.id eq "${response.body.id}"`);
    expect(events.map(({ eventType }) => eventType)).toEqual(['user.lifecycle.create', 'user.lifecycle.activate']);
    for (const event of events) expect(event.transaction).toMatchObject({ type: 'WEB', id: idOf(response) });
    expect(await org.systemLog(`transaction.id eq "${idOf(response)}"`)).toHaveLength(2);
  });
});

describe('what is not there', () => {
  test.each([
    '/nowhere',
    '/api/v2/users',
    '/API/v1/users',
    '/api/v1/Users',
    '/api/v1/users//',
    '///api/v1/users',
    '/api/v1/users;x=1',
    '/api/v1/users;',
    '/api/v1%2fusers',
    '/api/v1/users/../org',
    '/api/v1/users/%2e%2e/org',
    '/api/v1/users/me/lifecycle/..%2f..%2froles',
    '/api/v1/.%2forg',
    '/api/v1/org%00',
    '/api/v1/org.json',
    '/.well-known/okta-organization',
    '/metrics',
    '/health/ready',
  ])('%s is E0000008', async (path) => {
    expect(await org.admin.get(path)).toMatchObject({ status: 404, body: { errorCode: 'E0000008' } });
    expect(await org.admin.del(path)).toMatchObject({ status: 404, body: { errorCode: 'E0000008' } });
  });

  test.each(['..%5corg', '..%2forg', 'me%2froles', 'me;x', 'me%00', '%2e%2e', 'me%20'])(
    'an id such as %s never leads to another route, nor to another user',
    async (id) => {
      const { status, body } = await org.admin.get(`${users}/${id}`);
      expect([400, 404]).toContain(status);
      expect(body.errorCode).toMatch(/^E000000[178]$/);
    },
  );

  test('the same answer with and without a credential', async () => {
    expect(await org.anonymous.get('/nowhere')).toMatchObject({ status: 404, body: { errorCode: 'E0000008' } });
  });

  test.each<[string, string, string]>([
    ['PATCH', users, 'GET, POST'],
    ['DELETE', users, 'GET, POST'],
    ['TRACE', users, 'GET, POST'],
    ['PROPFIND', users, 'GET, POST'],
    ['OPTIONS', '/api/v1/org', 'GET, POST, PUT'],
    ['GET', `${users}/00u1/lifecycle/suspend`, 'POST'],
    ['PUT', '/api/v1/api-tokens', 'GET'],
    ['POST', '/api/v1/api-tokens', 'GET'],
    ['POST', '/api/v1/logs', 'GET'],
  ])('%s %s is E0000022 with Allow', async (method, path, allow) => {
    const response = await org.admin.send(method, path);
    expect(response).toMatchObject({ status: 405, body: { errorCode: 'E0000022' } });
    expect(String(response.headers['allow']).split(', ').sort()).toEqual(allow.split(', '));
  });
});

describe('a refusal', () => {
  test('is told with an errorId that the log of the server has', async () => {
    for (const path of ['/nowhere', `${users}/00unobody`, `${users}?limit=x`, `${users}/%zz`]) {
      const { body, headers } = await org.admin.get(path);
      expect(Object.keys(body).sort()).toEqual(['errorCauses', 'errorCode', 'errorId', 'errorLink', 'errorSummary']);
      expect(body.errorLink).toBe(body.errorCode);
      const line =
        service
          .logged()
          .split('\n')
          .find((text) => text.includes(body.errorId)) ?? '{}';
      expect(JSON.parse(line)).toMatchObject({ requestId: headers['x-svc-request-id'], level: 30 });
    }
  });

  test('of /logs has a UUID for errorId, and the log of the server has it too', async () => {
    const { body } = await org.admin.get('/api/v1/logs?filter=nonsense');
    expect(body.errorId).toMatch(/^[\da-f]{8}-[\da-f]{4}-/);
    expect(body.errorLink).toBeUndefined();
    expect(service.logged()).toContain(body.errorId);
  });

  test('an unexpected fault is 500 without a word of what it was, which only the log of the server knows', async () => {
    const own = await startTestService();
    try {
      await own.database.pool.query('alter table trusted_origins rename to gone');
      const { status, body, text } = await own.org.admin.get('/api/v1/trustedOrigins');
      expect({ status, code: body.errorCode, summary: body.errorSummary }).toEqual({
        status: 500,
        code: 'E0000009',
        summary: 'Internal Server Error',
      });
      expect(text).not.toMatch(/trusted_origins|relation|select|\.ts/i);
      const line =
        own
          .logged()
          .split('\n')
          .find((one) => one.includes(body.errorId)) ?? '{}';
      expect(JSON.parse(line)).toMatchObject({
        level: 50,
        err: { message: expect.stringContaining('trusted_origins') },
      });
    } finally {
      await own.close();
    }
  });

  test('no credential and no password is in the log of the server', async () => {
    const password = 'Secret-9-Password';
    const credentials = { password: { value: password } };
    await org.admin.post(users, { body: { profile: newProfile({ login: 'x' }), credentials } });
    await org.client({ authorization: `SSWS 00${'s'.repeat(40)}` }).get(users);
    expect(service.logged()).not.toContain(password);
    expect(service.logged()).not.toContain('ssssssssss');
    expect(service.logged()).not.toContain(org.adminToken);
  });

  test('every answer forbids sniffing and storing', async () => {
    for (const path of ['/api/v1/org', '/nowhere', `${users}/%zz`, '/.well-known/svc-organization']) {
      const { headers } = await org.admin.get(path);
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'cache-control': expect.stringContaining('no-store'),
      });
    }
  });
});

describe('public routes never look at Authorization', () => {
  test.each(['SSWS expired', 'garbage', 'Bearer x.y.z', `SSWS 00${'a'.repeat(40)}`, 'SSWS', '\t'])(
    '%j',
    async (authorization) => {
      expect(await org.client({ authorization }).get('/.well-known/svc-organization')).toMatchObject({ status: 200 });
      expect(await org.client({ authorization, accept: 'text/html' }).get('/')).toMatchObject({ status: 200 });
    },
  );

  test('a token in force is not used there either', async () => {
    const own = await service.newOrg();
    service.clock.advance(0);
    const before = await service.database.pool.query('select last_used_at from api_tokens where org_id = $1', [own.id]);
    await own.admin.get('/.well-known/svc-organization');
    await own.client({ authorization: `SSWS 00${'a'.repeat(40)}` }).get('/.well-known/svc-organization');
    await service.application.edgeEvents.flush(true);
    const after = await service.database.pool.query('select last_used_at from api_tokens where org_id = $1', [own.id]);
    expect(after.rows).toEqual(before.rows);
    expect(await own.systemLog('eventType eq "security.credential.refuse"')).toEqual([]);
  });
});
