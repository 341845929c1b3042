import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { HOST_NAME, reasonOf, resolvesTo, useOutboundHost } from '../../../test/support/outbound-host.ts';
import { toOrgId } from '../../kernel/words/ids.ts';
import type { Lookup } from './index.ts';

const LIMITS = { maximumBytes: 1_000, timeoutMilliseconds: 2_000 };

const ORG = toOrgId('00o00000000000000one');
const host = useOutboundHost();
const { address, outbound, requests } = host;

describe('a host that may be reached', () => {
  test('is asked once, for JSON, with nothing of ours', async () => {
    expect(await outbound().getJson(ORG, address('/keys?tenant=1'), LIMITS)).toEqual({ keys: [] });
    const [request] = requests;
    expect(requests).toHaveLength(1);
    expect(request).toMatchObject({ method: 'GET', url: '/keys?tenant=1' });
    const names = Object.keys(request?.headers ?? {}).filter((name) => name !== 'connection');
    expect(names.toSorted()).toEqual(['accept', 'accept-encoding', 'host']);
  });

  test('is resolved and judged anew for every request', async () => {
    const asked: string[] = [];
    const one = outbound({
      lookup: async (hostname) => {
        asked.push(hostname);
        return asked.length === 1 ? [{ address: '127.0.0.1', family: 4 }] : [{ address: '169.254.169.254', family: 4 }];
      },
    });
    await one.getJson(ORG, address(), LIMITS);
    expect(await reasonOf(one.getJson(ORG, address(), LIMITS))).toBe('address');
    expect(asked).toEqual([HOST_NAME, HOST_NAME]);
    expect(host.connections).toBe(1);
  });
});

describe('no connection is made', () => {
  test.each([
    'http://keys.example/',
    'ftp://keys.example/',
    'file:///etc/passwd',
    'https://user@keys.example/',
    'https://user:pass@keys.example/',
    'https://',
    'keys.example',
    '',
  ])('to %j', async (url) => {
    expect(await reasonOf(outbound().getJson(ORG, url, LIMITS))).toBe('url');
  });

  test('to another port than 443, where the operator has no networks', async () => {
    expect(await reasonOf(outbound({ networks: [] }).getJson(ORG, address(), LIMITS))).toBe('port');
    expect(await reasonOf(outbound({ networks: [] }).getJson(ORG, 'https://keys.example:22/', LIMITS))).toBe('port');
  });

  test.each([
    'https://127.0.0.1/',
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0177.0.0.1/',
    'https://127.0.0.1./',
    'https://0/',
    'https://0.0.0.0/',
    'https://10.0.0.1/',
    'https://169.254.169.254/latest/meta-data/',
    'https://[::1]/',
    'https://[::]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://[2002:7f00:1::]/',
    'https://[fd00:ec2::254]/',
    'https://①②⑦.0.0.1/',
  ])('to %s', async (url) => {
    expect(await reasonOf(outbound({ networks: [] }).getJson(ORG, url, LIMITS))).toBe('address');
  });

  test.each([
    ['127.0.0.1'],
    ['10.0.0.1'],
    ['169.254.169.254'],
    ['0.0.0.0'],
    ['224.0.0.1'],
    ['::1'],
    ['fe80::1'],
    ['fd12::1'],
    ['::ffff:127.0.0.1'],
    ['::ffff:1.1.1.1'],
    ['64:ff9b::7f00:1'],
    ['1.1.1.1', '127.0.0.1'],
    ['2606:4700::1111', '::1'],
  ])('to a name behind which are %j %j', async (...addresses) => {
    const lookup = resolvesTo(...addresses.filter((one) => one !== undefined));
    const url = `https://${HOST_NAME}/`;
    expect(await reasonOf(outbound({ networks: [], lookup }).getJson(ORG, url, LIMITS))).toBe('address');
  });

  test.each([
    ['10.0.0.1', 'address'],
    ['1.1.1.1', 'port'],
    ['127.0.0.1', 'address'],
  ])('to %s at another port, where the networks of the operator are others', async (elsewhere, reason) => {
    const lookup = resolvesTo(elsewhere);
    const networks = ['192.168.7.0/24'];
    expect(await reasonOf(outbound({ lookup, networks }).getJson(ORG, address(), LIMITS))).toBe(reason);
    expect(await reasonOf(outbound({ networks }).getJson(ORG, `https://${elsewhere}:${host.port}/`, LIMITS))).toBe(
      reason,
    );
  });

  test.each(['169.254.169.254', '100.100.100.200', 'fe80::1', '::ffff:127.0.0.1', '224.0.0.1', '0.0.0.0', '::'])(
    'to %s even where it lies in a network of the operator',
    async (forbidden) => {
      const networks = ['0.0.0.0/0', '::/0'];
      const lookup = resolvesTo(forbidden);
      expect(await reasonOf(outbound({ lookup, networks }).getJson(ORG, address(), LIMITS))).toBe('address');
      const literal = forbidden.includes(':') ? `[${forbidden}]` : forbidden;
      expect(await reasonOf(outbound({ networks }).getJson(ORG, `https://${literal}:${host.port}/`, LIMITS))).toBe(
        'address',
      );
    },
  );

  afterEach(() => expect(host.connections).toBe(0));
});

describe('what is not taken', () => {
  test.each([
    [301, '/elsewhere'],
    [302, 'https://127.0.0.1/'],
    [307, 'https://169.254.169.254/latest/meta-data/'],
    [308, '/keys'],
  ])('a redirect (%i), which is not followed', async (status, location) => {
    host.answer = (_, response) => response.writeHead(status, { location }).end('{"keys":[]}');
    expect(await reasonOf(outbound().getJson(ORG, address(), LIMITS))).toBe('status');
    expect(requests).toHaveLength(1);
  });

  test.each([201, 204, 404, 500])('the status %i', async (status) => {
    host.answer = (_, response) => response.writeHead(status).end();
    expect(await reasonOf(outbound().getJson(ORG, address(), LIMITS))).toBe('status');
  });

  test('a body that says it is too large', async () => {
    host.answer = (_, response) => response.end(JSON.stringify('x'.repeat(1_000)));
    expect(await reasonOf(outbound().getJson(ORG, address(), LIMITS))).toBe('tooLarge');
    expect(await outbound().getJson(ORG, address(), { ...LIMITS, maximumBytes: 1_002 })).toHaveLength(1_000);
  });

  test('a body that never ends', async () => {
    host.answer = (_, response) => {
      const more = (): void => {
        while (response.write('x'.repeat(500)));
        response.once('drain', more);
      };
      more();
    };
    expect(await reasonOf(outbound().getJson(ORG, address(), LIMITS))).toBe('tooLarge');
  });

  test('a compressed body, small as it is', async () => {
    host.answer = (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('{}'));
    expect(await reasonOf(outbound().getJson(ORG, address(), LIMITS))).toBe('encoding');
  });

  test.each(['', 'nonsense', '{"keys":[', Buffer.from([0x22, 0xff, 0x22])])('%j, which is no JSON', async (body) => {
    host.answer = (_, response) => response.end(body);
    expect(await reasonOf(outbound().getJson(ORG, address(), LIMITS))).toBe('notJson');
  });

  test('headers without end', async () => {
    host.answer = (_, response) => response.writeHead(200, { 'x-long': 'x'.repeat(20_000) }).end('{}');
    expect(await reasonOf(outbound().getJson(ORG, address(), LIMITS))).toBe('unreachable');
  });
});

describe('a host that does not answer', () => {
  const brief = { maximumBytes: 1_000, timeoutMilliseconds: 200 };

  test('ends with the time that it has', async () => {
    host.answer = () => undefined;
    expect(await reasonOf(outbound().getJson(ORG, address(), brief))).toBe('timeout');
  });

  test('ends with it also in the middle of the body', async () => {
    host.answer = (_, response) => {
      response.write('{"keys":');
    };
    expect(await reasonOf(outbound().getJson(ORG, address(), brief))).toBe('timeout');
  });

  test('ends with it also while its name is being resolved', async () => {
    const lookup: Lookup = () => new Promise(() => undefined);
    const begun = performance.now();
    expect(await reasonOf(outbound({ lookup }).getJson(ORG, address(), brief))).toBe('timeout');
    expect(performance.now() - begun).toBeLessThan(2_000);
  });

  test.each<[string, Lookup]>([
    ['has no address', resolvesTo()],
    ['is not known', () => Promise.reject(Object.assign(new Error('ENOTFOUND'), { code: 'ENOTFOUND' }))],
  ])('is unreachable: its name %s', async (_, lookup) => {
    expect(await reasonOf(outbound({ lookup }).getJson(ORG, address(), LIMITS))).toBe('unreachable');
  });

  test('is unreachable: nobody listens', async () => {
    expect(await reasonOf(outbound().getJson(ORG, `https://${HOST_NAME}:1/`, LIMITS))).toBe('unreachable');
  });

  test('is unreachable: its certificate is of nobody we trust, or of another name', async () => {
    expect(await reasonOf(outbound({ trustedAuthorities: [] }).getJson(ORG, address(), LIMITS))).toBe('unreachable');
    expect(await reasonOf(outbound().getJson(ORG, `https://other.example:${host.port}/`, LIMITS))).toBe('unreachable');
    expect(requests).toEqual([]);
  });
});
