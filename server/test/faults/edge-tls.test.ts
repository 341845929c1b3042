import { describe, expect, test } from 'vitest';
import { giveDomain } from '../support/org-settings.ts';
import { type RawAnswer, rawConnection, requestText } from '../support/raw-connection.ts';
import type { TestOrg, TestService } from '../support/service.ts';
import { useService } from '../support/use-service.ts';

const { service, org } = useService({ isShared: false });
const { service: behindProxy } = useService({ tlsProxies: ['127.0.0.1'] });

/** Sends a request over plain HTTP (specification 4.1.1). */
async function plainly(of: TestService, text: string): Promise<RawAnswer | undefined> {
  const connection = rawConnection({ port: of.port, ca: null, hostname: of.org.hostname });
  connection.send(text);
  return (await connection.closed)[0];
}

const withToken = (of: TestOrg, ...headers: string[]): string =>
  requestText(of, 'GET /api/v1/org', [`Authorization: SSWS ${of.adminToken}`, 'Connection: close', ...headers]);

describe('plain HTTP on the public port', () => {
  test('is refused, with request id and error object, and the connection is closed', async () => {
    const answer = await plainly(service, withToken(org));
    expect(answer).toMatchObject({
      status: 400,
      headers: { connection: ['close'], 'x-svc-request-id': [expect.stringMatching(/^req[\w-]{22}$/)] },
      body: { errorCode: 'E0000002', errorSummary: expect.stringContaining('HTTPS only') },
    });
  });

  test('a credential in it is not read: a good, a bad and no token answer alike, none counts as used', async () => {
    const own = await service.newOrg();
    const bad = requestText(own, 'GET /api/v1/org', [`Authorization: SSWS 00${'x'.repeat(40)}`, 'Connection: close']);
    const none = requestText(own, 'GET /api/v1/org', ['Connection: close']);
    const shapes = [];
    for (const text of [withToken(own), bad, none]) {
      const answer = await plainly(service, text);
      const { ['errorId']: _errorId, ...body } = answer?.body ?? {};
      shapes.push({ status: answer?.status, names: Object.keys(answer?.headers ?? {}), body });
    }
    expect(shapes[1]).toEqual(shapes[0]);
    expect(shapes[2]).toEqual(shapes[0]);
    await service.application.edgeEvents.flush(true);
    expect(await own.systemLog('eventType sw "security."')).toEqual([]);
  });

  test('the token in it is not written to the log of the server', async () => {
    await plainly(service, withToken(org));
    expect(service.logged()).not.toContain(org.adminToken);
  });

  test('the word of a sender that is no listed proxy does not make it HTTPS', async () => {
    expect(await plainly(service, withToken(org, 'X-Forwarded-Proto: https'))).toMatchObject({ status: 400 });
  });

  test('a wish to upgrade does not either', async () => {
    const upgrade = withToken(org, 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__');
    expect(await plainly(service, upgrade)).toMatchObject({ status: 400, body: { errorCode: 'E0000002' } });
  });

  test('what is not HTTP at all is refused with the error object', async () => {
    expect(await plainly(service, 'EHLO example.com\r\n\r\n')).toMatchObject({
      status: 400,
      headers: { 'x-svc-request-id': [expect.any(String)] },
      body: { errorCode: 'E0000002' },
    });
  });
});

describe('a listed proxy that ends TLS', () => {
  test('is believed when it says https', async () => {
    expect(await plainly(behindProxy, withToken(behindProxy.org, 'X-Forwarded-Proto: https'))).toMatchObject({
      status: 200,
      body: { id: behindProxy.org.id },
    });
  });

  test.each([
    [],
    ['X-Forwarded-Proto: http'],
    ['X-Forwarded-Proto: https, http'],
    ['X-Forwarded-Proto: http', 'X-Forwarded-Proto: https'],
    ['X-Forwarded-Ssl: on'],
    ['Forwarded: proto=https'],
  ])('is not when it says %j', async (...headers) => {
    expect(await plainly(behindProxy, withToken(behindProxy.org, ...headers))).toMatchObject({
      status: 400,
      body: { errorCode: 'E0000002' },
    });
  });

  test('TLS of its own is accepted from anybody', async () => {
    expect(await behindProxy.org.admin.get('/api/v1/org')).toMatchObject({ status: 200 });
  });

  test('is not thereby one whose X-Forwarded-For an org believes', async () => {
    const headers = ['X-Forwarded-Proto: https', 'X-Forwarded-For: 203.0.113.7', 'Content-Length: 2'];
    const profile = JSON.stringify({ profile: { firstName: 'A', lastName: 'B', login: 'p@x.co', email: 'p@x.co' } });
    const text = requestText(
      behindProxy.org,
      'POST /api/v1/users',
      [
        `Authorization: SSWS ${behindProxy.org.adminToken}`,
        'Connection: close',
        'Content-Type: application/json',
        ...headers.slice(0, 2),
        `Content-Length: ${profile.length}`,
      ],
      profile,
    );
    const answer = await plainly(behindProxy, text);
    expect(answer).toMatchObject({ status: 200 });
    const events = await behindProxy.org.systemLog(`transaction.id eq "${answer?.headers['x-svc-request-id']?.[0]}"`);
    expect(events[0]).toMatchObject({ client: { ipAddress: '127.0.0.1' } });
  });
});

describe('Strict-Transport-Security', () => {
  const transportSecurity = 'strict-transport-security';

  test('is not sent on localhost, which other programs share', async () => {
    for (const hostname of ['localhost', org.hostname, 'nobody.localhost', '127.0.0.1']) {
      const { headers } = await org.client({}, hostname).get('/.well-known/svc-organization');
      expect(headers[transportSecurity]).toBeUndefined();
    }
  });

  test('is sent on a domain of its own, with every answer', async () => {
    const own = await behindProxy.newOrg();
    const domain = `${own.subdomain}.example.com`;
    await giveDomain(behindProxy, own, domain);
    // The test certificate does not contain the domain, so only the Host header names the domain.
    const client = own.client({ host: domain });
    for (const path of ['/.well-known/svc-organization', '/api/v1/users', '/nowhere', '/api/v1/users/%zz']) {
      const { headers } = await client.get(path);
      expect(headers[transportSecurity]).toMatch(/^max-age=\d{8,}/);
    }
  });

  test('is not sent over plain HTTP, where it would mean nothing (RFC 6797 7.2)', async () => {
    const answer = await plainly(behindProxy, 'GET / HTTP/1.1\r\nHost: id.example.com\r\nConnection: close\r\n\r\n');
    expect(answer?.status).toBe(400);
    expect(answer?.headers[transportSecurity]).toBeUndefined();
  });
});
