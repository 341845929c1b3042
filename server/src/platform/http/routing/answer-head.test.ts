import Fastify from 'fastify';
import { describe, expect, test } from 'vitest';
import { AnswerHead } from './answer-head.ts';

type Use = (head: AnswerHead) => readonly [status: number, body: Parameters<AnswerHead['send']>[2]];

async function answerOf(use: Use, isStrict = false) {
  const app = Fastify();
  app.get('/', async (_request, reply) => {
    const head = new AnswerHead('x-svc-request-id', isStrict);
    const [status, body] = use(head);
    head.send(reply, status, body);
  });
  const answer = await app.inject('/');
  await app.close();
  return answer;
}

const text = (mediaType: string) => ({ mediaType, content: '"é"' });

describe('AnswerHead', () => {
  test('begins with the headers that all responses have', async () => {
    const { headers, statusCode } = await answerOf(() => [200, text('text/plain')]);
    expect(statusCode).toBe(200);
    expect(headers).toMatchObject({
      'x-svc-request-id': expect.stringMatching(/^req[\w-]{22}$/),
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-cache, no-store',
      'content-type': 'text/plain',
      'content-length': '4',
    });
    expect(headers).not.toHaveProperty('strict-transport-security');
    expect(headers).not.toHaveProperty('x-rate-limit-limit');
  });

  test('promises TLS only where it may', async () => {
    const { headers } = await answerOf(() => [200, null], true);
    expect(headers['strict-transport-security']).toBe('max-age=31536000; includeSubDomains');
  });

  test('sends the last value of a header, under its name in lower case', async () => {
    const { headers, raw } = await answerOf((head) => {
      head.set('vary', 'Origin');
      head.setAll({ 'Cache-Control': 'public', 'Set-Cookie': ['a=1', 'b=2'] });
      head.set('vary', 'Accept');
      return [200, null];
    });
    expect(headers).toMatchObject({ vary: 'Accept', 'cache-control': 'public', 'set-cookie': ['a=1', 'b=2'] });
    expect(raw.res.getHeaderNames().filter((name) => name === 'vary')).toHaveLength(1);
  });

  test('shows the last limit that counted the request', async () => {
    const taken = { limit: 10, remaining: 9, resetEpochSeconds: 60, allowed: true, firstRefusal: false };
    const { headers } = await answerOf((head) => {
      head.rateLimit = taken;
      head.rateLimit = { ...taken, remaining: 3 };
      return [200, null];
    });
    expect(headers).toMatchObject({
      'x-rate-limit-limit': '10',
      'x-rate-limit-remaining': '3',
      'x-rate-limit-reset': '60',
    });
  });

  test('leaves the limit that a refusal names', async () => {
    const own = { 'X-Rate-Limit-Limit': '100', 'X-Rate-Limit-Remaining': '0', 'X-Rate-Limit-Reset': '600' };
    const { headers, raw } = await answerOf((head) => {
      head.rateLimit = { limit: 10, remaining: 9, resetEpochSeconds: 60, allowed: true, firstRefusal: false };
      head.setAll(own);
      return [429, null];
    });
    expect(headers).toMatchObject({
      'x-rate-limit-limit': '100',
      'x-rate-limit-remaining': '0',
      'x-rate-limit-reset': '600',
    });
    expect(raw.res.getHeaderNames().filter((name) => name.startsWith('x-rate-limit'))).toHaveLength(3);
  });

  test.each([204, 304])('sends no length with a %i', async (status) => {
    expect((await answerOf(() => [status, null])).headers).not.toHaveProperty('content-length');
  });

  test.each([
    ['application/json', 'application/json; charset=utf-8'],
    ['application/jrd+json', 'application/jrd+json; charset=utf-8'],
    ['application/json; charset=utf-8', 'application/json; charset=utf-8'],
    ['text/html; charset=utf-8', 'text/html; charset=utf-8'],
    ['text/plain', 'text/plain'],
  ])('names the charset of JSON that is text: %s', async (mediaType, sent) => {
    expect((await answerOf(() => [200, text(mediaType)])).headers['content-type']).toBe(sent);
  });

  test('leaves the type of bytes as it is', async () => {
    const body = { mediaType: 'application/json', content: Buffer.from('[]') };
    expect((await answerOf(() => [200, body])).headers['content-type']).toBe('application/json');
  });

  test.each([
    [200, '0'],
    [303, '0'],
    [204, undefined],
  ])('a %i without a body has the length %s and no type', async (status, length) => {
    const { headers } = await answerOf(() => [status, null]);
    expect(headers['content-length']).toBe(length);
    expect(headers).not.toHaveProperty('content-type');
  });

  test('can still send an error if Node refuses a header', async () => {
    const app = Fastify();
    const head = new AnswerHead('x-svc-request-id', false);
    app.get('/', async (_request, reply) => {
      head.setAll({ 'set-cookie': 'a=1', location: 'a\r\nb: c' });
      head.send(reply, 303, null);
    });
    app.setErrorHandler(async (_error, _request, reply) => head.send(reply, 500, text('application/json')));
    // The socket is real, because a simulated response keeps the headers that Node refused.
    const response = await fetch(await app.listen({ host: '127.0.0.1', port: 0 }));
    const body = await response.text();
    await app.close();
    expect([response.status, body]).toEqual([500, '"é"']);
    expect(response.headers.get('x-svc-request-id')).toBe(head.requestId);
    expect(response.headers.get('content-length')).toBe('4');
    expect(response.headers.has('set-cookie')).toBe(false);
    expect(response.headers.has('location')).toBe(false);
  });
});
