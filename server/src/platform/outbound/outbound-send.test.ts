import type { IncomingMessage, ServerResponse } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { reasonOf, resolvesTo, useOutboundHost } from '../../../test/support/outbound-host.ts';
import { toOrgId } from '../../kernel/words/ids.ts';
import type { OutboundRequest } from './index.ts';

const LIMITS = { maximumBytes: 1_000, timeoutMilliseconds: 2_000 };

const ORG = toOrgId('00o00000000000000one');
const host = useOutboundHost();
const { address, outbound, requests } = host;

describe('a request that is sent', () => {
  const send = (given: Partial<OutboundRequest> = {}, out = outbound()) =>
    out.send({
      orgId: ORG,
      method: 'POST',
      url: address('/hook?a=1'),
      headers: {},
      body: '{}',
      limits: LIMITS,
      ...given,
    });

  test('arrives as it is, with nothing of ours but what it needs', async () => {
    let received = '';
    host.answer = (request, response) => {
      request.setEncoding('utf8').on('data', (chunk: string) => {
        received += chunk;
      });
      request.on('end', () => response.writeHead(202, { 'x-told': 'yes' }).end('taken'));
    };
    const body = '{"events":["ä"]}';
    const given = { body, headers: { 'content-type': 'application/json', Authorization: 'Bearer x' } };
    const answered = await send(given);
    expect(answered).toMatchObject({ status: 202, headers: { 'x-told': 'yes' } });
    expect(answered.body.toString()).toBe('taken');
    expect(received).toBe(body);
    expect(requests).toMatchObject([{ method: 'POST', url: '/hook?a=1', headers: { authorization: 'Bearer x' } }]);
    const names = Object.keys(requests[0]?.headers ?? {}).filter((name) => name !== 'connection');
    expect(names.toSorted()).toEqual(['accept-encoding', 'authorization', 'content-length', 'content-type', 'host']);
  });

  test('waits for the connections of its own org, and not for those of another', async () => {
    const waiting: ServerResponse[] = [];
    let isTaken = () => {};
    const taken = new Promise<void>((resolve) => {
      isTaken = resolve;
    });
    host.answer = (request, response) => {
      if (request.url === '/slow') waiting.push(response);
      else response.end();
      if (waiting.length === 4) isTaken();
    };
    const out = outbound();
    const limits = { ...LIMITS, timeoutMilliseconds: 20_000 };
    const slow = [1, 2, 3, 4, 5].map(() => send({ url: address('/slow'), limits }, out));
    await taken;
    expect(await send({ orgId: toOrgId('00o00000000000000two') }, out)).toMatchObject({ status: 200 });
    expect(waiting).toHaveLength(4);
    host.answer = (_, response) => response.end();
    for (const response of waiting) response.end();
    expect((await Promise.all(slow)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  });

  test.each([
    [301, 'https://127.0.0.1/'],
    [302, 'https://169.254.169.254/latest/meta-data/'],
    [307, '/elsewhere'],
    [308, 'https://[::1]/'],
  ])('and is redirected (%i) gets just that status', async (status, location) => {
    host.answer = (_, response) => response.writeHead(status, { location }).end();
    expect(await send()).toMatchObject({ status, headers: { location } });
    expect(host.connections).toBe(1);
  });

  test.each([204, 400, 404, 410, 429, 500, 503])('and is answered %i gets that status', async (status) => {
    host.answer = (_, response) => response.writeHead(status).end();
    expect((await send()).status).toBe(status);
  });

  test('and is answered without end reads no more than its limit, and counts by the status', async () => {
    let written = 0;
    let isClosed = false;
    host.answer = (_, response) => {
      response.on('close', () => {
        isClosed = true;
      });
      const more = (): void => {
        if (isClosed) return;
        while (response.write('x'.repeat(65_536))) written += 65_536;
        response.once('drain', more);
      };
      more();
    };
    const answered = await send({ limits: { maximumBytes: 65_536, timeoutMilliseconds: 10_000 } });
    expect(answered.status).toBe(200);
    expect(answered.body).toHaveLength(65_536);
    await expect.poll(() => isClosed).toBe(true);
    expect(written).toBeLessThan(64 * 1_024 * 1_024);
  });

  test('and is answered nothing but preliminary answers gives up after a few of them', async () => {
    let written = 0;
    host.answer = ({ socket }) => {
      const preliminary = 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(1_000);
      const more = (): void => {
        while (!socket.destroyed && socket.write(preliminary)) written += 1_000;
        socket.once('drain', more);
      };
      socket.on('error', () => undefined);
      more();
    };
    expect(await reasonOf(send())).toBe('tooLarge');
    expect(written).toBeLessThan(100_000);
    host.answer = (_, response) => {
      for (let count = 0; count < 16; count += 1) response.writeEarlyHints({ link: '</a>; rel=preload' });
      response.writeHead(202).end();
    };
    expect((await send()).status).toBe(202);
  });

  test.each<[string, (request: IncomingMessage, response: ServerResponse) => void]>([
    ['never', () => undefined],
    ['with half a body', (_, response) => void response.write('{"half":')],
    [
      'a byte at a time',
      (_, response) => {
        const timer = setInterval(() => response.write('x'), 20);
        response.on('close', () => clearInterval(timer));
      },
    ],
  ])('and is answered %s ends with its time', async (_, slowly) => {
    host.answer = slowly;
    const limits = { maximumBytes: 1_000, timeoutMilliseconds: 200 };
    expect(await reasonOf(send({ limits }))).toBe('timeout');
  });

  test('ends with the signal of whoever sent it', async () => {
    host.answer = () => undefined;
    const controller = new AbortController();
    const sent = reasonOf(send({ signal: controller.signal }));
    await expect.poll(() => requests).toHaveLength(1);
    controller.abort();
    expect(await sent).toBe('timeout');
    expect(await reasonOf(send({ signal: controller.signal }))).toBe('timeout');
    expect(requests).toHaveLength(1);
  });

  test('ends with its time too when memory is collected meanwhile, with a signal beside it', async () => {
    host.answer = () => undefined;
    setFlagsFromString('--expose-gc');
    const collect: unknown = runInNewContext('gc');
    if (typeof collect !== 'function') throw new Error('memory cannot be collected');
    const limits = { maximumBytes: 1_000, timeoutMilliseconds: 1_000 };
    const sent = reasonOf(send({ limits, signal: new AbortController().signal }));
    await expect.poll(() => requests).toHaveLength(1);
    for (let times = 0; times < 3; times += 1) collect();
    expect(await sent).toBe('timeout');
  });

  test('and is cut in the middle of the answer is unreachable', async () => {
    host.answer = (request, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('x');
      request.socket.destroy();
    };
    expect(await reasonOf(send())).toBe('unreachable');
  });

  test.each([{ 'bad name': 'x' }, { good: 'line\r\nbreak: x' }, { 'transfer-encoding': 'chunked' }])(
    'with headers that are none (%j) is not sent',
    async (headers) => {
      expect(await reasonOf(send({ headers }))).toBe('unreachable');
      expect(requests).toEqual([]);
    },
  );

  test.each([
    'https://127.0.0.1/',
    'https://[::1]/',
    'https://169.254.169.254/latest/meta-data/',
    'https://[fe80::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://0/',
    'https://2130706433/',
    'https://localhost./',
  ])('to %s is not sent', async (url) => {
    const guarded = outbound({ networks: [], lookup: resolvesTo('127.0.0.1') });
    expect(await reasonOf(send({ url }, guarded))).toBe('address');
    expect(host.connections).toBe(0);
  });

  test('to a name that answers otherwise the second time (DNS rebinding) goes nowhere', async () => {
    let asked = 0;
    const guarded = outbound({
      networks: ['127.0.0.1/32'],
      lookup: async () => {
        asked += 1;
        return [{ address: asked === 1 ? '127.0.0.1' : '127.0.0.2', family: 4 }];
      },
    });
    expect((await send({}, guarded)).status).toBe(200);
    expect(await reasonOf(send({}, guarded))).toBe('address');
    expect(host.connections).toBe(1);
  });
});
