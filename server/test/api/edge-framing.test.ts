import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hostCertificates, openCertificateAuthority } from '../../src/platform/crypto/index.ts';
import type { PublicPort } from '../../src/platform/http/index.ts';
import { exchange, type RawAnswer, rawConnection, requestText } from '../support/raw-connection.ts';
import { newLogin, newProfile } from '../support/service.ts';
import { useService } from '../support/use-service.ts';

const { service, org } = useService({ isShared: false });

const json = 'Content-Type: application/json';
const close = 'Connection: close';

const withToken = (line: string, headers: readonly string[] = [], body = ''): string =>
  requestText(org, line, [`Authorization: SSWS ${org.adminToken}`, ...headers], body);

const isRefusal = (answer: RawAnswer | undefined, status: number, code: string) => {
  expect(answer).toMatchObject({
    status,
    headers: {
      'x-svc-request-id': [expect.stringMatching(/^req[\w-]{22}$/)],
      'content-type': [expect.stringMatching(/^application\/json/)],
    },
    body: { errorCode: code, errorSummary: expect.any(String), errorId: expect.stringMatching(/^oae[\w-]{22}$/) },
  });
};

/** These tests cover section 4.1.8 of the specification, and attack 1 (docs/security-rows.md). */
describe('lengths', () => {
  test('POST and PUT without a body say Content-Length: 0', async () => {
    const user = await org.createUser();
    const path = `/api/v1/users/${user.id}/lifecycle/suspend`;
    const [answer] = await exchange(service, org, withToken(`POST ${path}`, [close, 'Content-Length: 0']));
    expect(answer?.status).toBe(200);
  });

  test('a request with neither length nor chunks has no body, which is enough where none is asked for', async () => {
    const user = await org.createUser();
    const path = `/api/v1/users/${user.id}/lifecycle/suspend`;
    const [answer] = await exchange(service, org, withToken(`POST ${path}`, [close]));
    expect(answer?.status).toBe(200);
  });

  test.each(['POST', 'PUT'])('%s with neither length nor chunks is 411 where a body is needed', async (method) => {
    const [answer] = await exchange(service, org, withToken(`${method} /api/v1/org`, [close, json]));
    isRefusal(answer, 411, 'E0000002');
  });

  test('a body without a length is not taken for the next request', async () => {
    const answers = await exchange(service, org, withToken('POST /api/v1/org', [json], '{"companyName":"Smuggled"}'));
    isRefusal(answers[0], answers[0]?.status === 411 ? 411 : 400, 'E0000002');
    expect((await org.admin.get('/api/v1/org')).body.companyName).toBe('Test');
  });

  test.each(['-1', '+2', '0x2', '2, 2', '2.0', '1e1', '99999999999999999999', 'two', ' '])(
    'Content-Length: %s is 400',
    async (length) => {
      const [answer] = await exchange(
        service,
        org,
        withToken('POST /api/v1/org', [json, `Content-Length: ${length}`], '{}'),
      );
      isRefusal(answer, answer?.status === 411 ? 411 : 400, 'E0000002');
    },
  );

  test('a length shorter than the body: what is left over is not a request, and the connection ends', async () => {
    const answers = await exchange(service, org, withToken('POST /api/v1/org', [json, 'Content-Length: 2'], '{}{}'));
    expect(answers.at(-1)).toMatchObject({ status: 400 });
  });

  test('a chunked body needs no length', async () => {
    const chunks = '2\r\n{}\r\n0\r\n\r\n';
    const [answer] = await exchange(
      service,
      org,
      withToken('POST /api/v1/org', [close, json, 'Transfer-Encoding: chunked'], chunks),
    );
    expect(answer).toMatchObject({ status: 200, body: { id: org.id } });
  });
});

/** These tests cover attack 2 (docs/security-rows.md). */
describe('what two parsers may read differently is refused, and the connection closed', () => {
  const logins: string[] = [];
  const smuggled = (login: string) => {
    logins.push(login);
    const body = JSON.stringify({ profile: newProfile({ login }) });
    return withToken('POST /api/v1/users', [json, `Content-Length: ${body.length}`], body);
  };

  test.each([
    ['both framings', ['Content-Length: 5', 'Transfer-Encoding: chunked'], '0\r\n\r\n'],
    ['both framings, the other way round', ['Transfer-Encoding: chunked', 'Content-Length: 4'], '0\r\n\r\n'],
    ['two different lengths', ['Content-Length: 2', 'Content-Length: 200'], '{}'],
    ['the same length twice', ['Content-Length: 2', 'Content-Length: 2'], '{}'],
    ['another transfer coding', ['Transfer-Encoding: gzip, chunked'], '0\r\n\r\n'],
    ['a coding that looks like chunked', ['Transfer-Encoding: xchunked'], '0\r\n\r\n'],
    ['chunked, and then another', ['Transfer-Encoding: chunked', 'Transfer-Encoding: identity'], '0\r\n\r\n'],
    ['chunked in front of another', ['Transfer-Encoding: chunked, identity'], '0\r\n\r\n'],
    ['chunked with a vertical tab', ['Transfer-Encoding: \vchunked'], '0\r\n\r\n'],
    ['a folded line', ['X-Folded: one\r\n two', 'Content-Length: 0'], ''],
    ['a bare LF', ['X-One: 1\nX-Two: 2', 'Content-Length: 0'], ''],
    ['a bare CR', ['X-One: 1\rX-Two: 2', 'Content-Length: 0'], ''],
    ['a blank before the colon', ['Content-Length : 0'], ''],
    ['NUL in a header', ['X-One: a\0b', 'Content-Length: 0'], ''],
    ['a second Host', ['Host: other.localhost', 'Content-Length: 0', close], ''],
    ['a chunk of a length that is none', ['Transfer-Encoding: chunked'], 'zz\r\n{}\r\n0\r\n\r\n'],
    ['a chunk whose line ends with a bare LF', ['Transfer-Encoding: chunked'], '2\n{}\r\n0\r\n\r\n'],
  ])('%s', async (_name, headers, body) => {
    const login = newLogin();
    const answers = await exchange(
      service,
      org,
      withToken('POST /api/v1/org', [json, ...headers], body) + smuggled(login),
    );
    isRefusal(answers[0], 400, 'E0000002');
    expect(answers).toHaveLength(1);
    expect(await org.admin.get(`/api/v1/users/${encodeURIComponent(login)}`)).toMatchObject({ status: 404 });
  });

  test('a request line that ends with a bare LF', async () => {
    const [answer] = await exchange(service, org, withToken('GET /api/v1/org', [close]).replaceAll('\r\n', '\n'));
    isRefusal(answer, 400, 'E0000002');
  });

  test('a body of GET is consumed as such, not as a request', async () => {
    const login = newLogin();
    const inner = smuggled(login);
    const answers = await exchange(
      service,
      org,
      withToken('GET /api/v1/org', [close, json, `Content-Length: ${inner.length}`], inner),
    );
    expect(answers).toHaveLength(1);
    expect(await org.admin.get(`/api/v1/users/${encodeURIComponent(login)}`)).toMatchObject({ status: 404 });
  });

  test.each(['GET https://other.localhost/api/v1/org', 'GET /api/v1/org#x', 'OPTIONS *', 'GET http:/api/v1/org'])(
    '%s',
    async (line) => {
      const [answer] = await exchange(service, org, withToken(line, [close]));
      isRefusal(answer, 400, 'E0000002');
    },
  );

  test('no Host, an empty one, and one that is no name', async () => {
    const lines = ['X-Nothing: 1', 'Host:', 'Host: a b', 'Host: acme.localhost@evil.example', 'Host: 2130706433'];
    for (const line of lines) {
      const [answer] = await exchange(service, org, `GET /api/v1/org HTTP/1.1\r\n${line}\r\n${close}\r\n\r\n`);
      isRefusal(answer, 400, 'E0000002');
    }
  });

  test('none of the smuggled requests was executed later either', async () => {
    expect(logins.length).toBeGreaterThan(15);
    const { body } = await org.admin.get('/api/v1/users?limit=200');
    const found = body.map((user: { profile: { login: string } }) => user.profile.login);
    expect(found.filter((login: string) => logins.includes(login))).toEqual([]);
  });
});

/** These tests cover attacks 5 and 6 (docs/security-rows.md). */
describe('sizes', () => {
  test('50 MB are refused by their announcement, before a byte of them is read', async () => {
    const [answer] = await exchange(
      service,
      org,
      withToken('POST /api/v1/users', [json, `Content-Length: ${50 << 20}`]),
    );
    isRefusal(answer, 413, 'E0000002');
  });

  test('50 MB in chunks are refused after the first of them', async () => {
    const connection = rawConnection({ port: service.port, ca: service.ca, hostname: org.hostname });
    connection.send(withToken('POST /api/v1/users', [json, 'Transfer-Encoding: chunked']));
    const chunk = `40000\r\n${' '.repeat(0x40000)}\r\n`;
    for (let sent = 0; sent < 5; sent += 1) connection.send(chunk);
    isRefusal((await connection.answers(1))[0], 413, 'E0000002');
    connection.destroy();
  });

  test('just what is allowed is read', async () => {
    const padding = ' '.repeat(65_536 - 2);
    expect(
      await org.admin.post('/api/v1/org', { raw: `{${padding}}`, headers: { 'content-type': 'application/json' } }),
    ).toMatchObject({ status: 200 });
    expect(
      await org.admin.post('/api/v1/org', { raw: `{${padding} }`, headers: { 'content-type': 'application/json' } }),
    ).toMatchObject({ status: 413 });
  });

  test('a compressed body is refused unread, however small', async () => {
    const raw = gzipSync(Buffer.alloc(5 << 20, 0x20));
    for (const encoding of ['gzip', 'deflate', 'br', 'x-gzip']) {
      const headers = { 'content-type': 'application/json', 'content-encoding': encoding };
      expect(await org.admin.post('/api/v1/users', { raw, headers })).toMatchObject({
        status: 400,
        body: { errorCode: 'E0000021' },
      });
    }
  });

  test('a header block of 64 KB is 431', async () => {
    const [answer] = await exchange(
      service,
      org,
      withToken('GET /api/v1/org', [close, `X-Long: ${'a'.repeat(65_536)}`]),
    );
    isRefusal(answer, 431, 'E0000002');
  });

  test('an address of 1 MB is 431', async () => {
    const [answer] = await exchange(service, org, withToken(`GET /api/v1/users?q=${'a'.repeat(1 << 20)}`, [close]));
    isRefusal(answer, 431, 'E0000002');
  });

  test('10,000 query parameters, and 1,001, are refused', async () => {
    const [many] = await exchange(service, org, withToken(`GET /api/v1/users?${'a=&'.repeat(10_000)}`, [close]));
    isRefusal(many, 431, 'E0000002');
    const [few] = await exchange(service, org, withToken(`GET /api/v1/users?${'a&'.repeat(1_001)}`, [close]));
    isRefusal(few, 400, 'E0000002');
    expect(await org.admin.get(`/api/v1/users?${'a&'.repeat(1_000)}`)).toMatchObject({ status: 200 });
  });

  test('headers beyond the two thousandth are not lost', async () => {
    const many = Array.from({ length: 2_100 }, () => 'a:1');
    const [answer] = await exchange(
      service,
      org,
      withToken('GET /api/v1/org', [close, ...many, 'Host: other.localhost']),
    );
    isRefusal(answer, 400, 'E0000002');
  });

  test('an id of 3,000 characters is 414', async () => {
    expect(await org.admin.get(`/api/v1/users/${'a'.repeat(3_000)}`)).toMatchObject({ status: 414 });
  });
});

/** These tests cover attack 7 (docs/security-rows.md). */
describe('slow clients', () => {
  let port: PublicPort;
  let ca: string;
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-slow-'));

  beforeAll(async () => {
    const authority = await openCertificateAuthority(directory, service.clock);
    ca = authority.certificate;
    port = await service.application.listen({
      host: '127.0.0.1',
      port: 0,
      tls: hostCertificates({ authority, clock: service.clock }).options,
      patience: {
        firstByteTimeoutMilliseconds: 500,
        handshakeTimeoutMilliseconds: 500,
        headersTimeoutMilliseconds: 500,
        requestTimeoutMilliseconds: 500,
      },
    });
  });
  afterAll(async () => {
    await port.close(100);
    rmSync(directory, { recursive: true, force: true });
  });

  const connect = (secret: string | null = ca) =>
    rawConnection({ port: port.port, ca: secret, hostname: org.hostname });

  test('that never end headers or body are told 408 and cut off; others are served meanwhile', async () => {
    const headers = Array.from({ length: 20 }, () => connect());
    for (const connection of headers) connection.send(`GET /api/v1/org HTTP/1.1\r\nHost: ${org.hostname}\r\nX-Slow: `);
    const bodies = Array.from({ length: 20 }, () => connect());
    for (const connection of bodies) connection.send(withToken('POST /api/v1/org', [json, 'Content-Length: 100'], '{'));
    const prompt = connect();
    prompt.send(withToken('GET /api/v1/org', [close]));
    expect((await prompt.closed)[0]).toMatchObject({ status: 200 });
    for (const connection of [...headers, ...bodies]) isRefusal((await connection.closed)[0], 408, 'E0000002');
  });

  test('that say nothing, or begin TLS and stop, are cut off', async () => {
    const silent = connect(null);
    const halfway = connect(null);
    halfway.send(Buffer.from([0x16, 0x03, 0x01]));
    expect(await Promise.all([silent.closed, halfway.closed])).toEqual([[], []]);
  });
});
