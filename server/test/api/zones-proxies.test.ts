import { beforeEach, describe, expect, test } from 'vitest';
import { trustProxy } from '../support/org-settings.ts';
import { newProfile, type TestOrg } from '../support/service.ts';
import { useService } from '../support/use-service.ts';

type Given = Readonly<Record<string, unknown>>;

const { service } = useService();
let org: TestOrg;
beforeEach(async () => {
  org = await service.newOrg();
});

const ZONES = '/api/v1/zones';
const LOOPBACK = { type: 'CIDR', value: '127.0.0.1/32' };
let names = 0;
const zoneOf = (proxies: readonly Given[] | null, given: Given = {}): Given => {
  names += 1;
  return { type: 'IP', name: `Proxies ${names}`, gateways: [], proxies, ...given };
};
const create = (proxies: readonly Given[] | null, given: Given = {}) =>
  org.admin.post(ZONES, { body: zoneOf(proxies, given) });

async function addressOf(forwardedFor: string, of: TestOrg = org): Promise<string> {
  const options = { body: { profile: newProfile() }, headers: { 'x-forwarded-for': forwardedFor } };
  const response = await of.admin.post('/api/v1/users', options);
  expect(response.status, response.text).toBe(200);
  const [event] = await of.systemLog(`transaction.id eq "${String(response.headers['x-svc-request-id'])}"`);
  return event.client.ipAddress;
}

/** These tests cover section 4.1.11 of the specification, and attack 104 (docs/security-rows.md). */
describe('proxies of a zone', () => {
  test('are believed from the moment they are there, by their org alone, until they are not', async () => {
    const other = await service.newOrg();
    expect(await addressOf('203.0.113.7')).toBe('127.0.0.1');
    const { body } = await create([LOOPBACK]);
    expect(await addressOf('203.0.113.7')).toBe('203.0.113.7');
    expect(await addressOf('203.0.113.7', other)).toBe('127.0.0.1');
    await org.admin.post(`${ZONES}/${body.id}/lifecycle/deactivate`);
    expect(await addressOf('203.0.113.7')).toBe('127.0.0.1');
    await org.admin.post(`${ZONES}/${body.id}/lifecycle/activate`);
    expect(await addressOf('203.0.113.7')).toBe('203.0.113.7');
    await org.admin.put(`${ZONES}/${body.id}`, { body: { ...body, proxies: null } });
    expect(await addressOf('203.0.113.7')).toBe('127.0.0.1');
  });

  test('ranges too, each hop as far as it is trusted, beside those that the operator named', async () => {
    await create([
      { type: 'RANGE', value: '127.0.0.1-127.0.0.9' },
      { type: 'CIDR', value: '198.51.100.0/24' },
    ]);
    expect(await addressOf('192.0.2.1, 203.0.113.7, 198.51.100.3')).toBe('203.0.113.7');
    await trustProxy(service, org, '203.0.113.0/24');
    expect(await addressOf('192.0.2.1, 203.0.113.7, 198.51.100.3')).toBe('192.0.2.1');
  });

  test.each([
    ['203.0.113.7, nonsense', '127.0.0.1'],
    [', , ', '127.0.0.1'],
    [Array.from({ length: 500 }, () => '198.51.100.7').join(', '), '198.51.100.7'],
    ['203.0.113.7:4711', '203.0.113.7'],
  ])('a forged header is no way round: %.40s', async (header, expected) => {
    await create([LOOPBACK]);
    expect(await addressOf(header)).toBe(expected);
  });

  test('gateways, blocklists and other types make nobody a proxy', async () => {
    await create(null, { gateways: [LOOPBACK] });
    const blocklist = await create([LOOPBACK], { usage: 'BLOCKLIST' });
    expect(blocklist.status).toBe(200);
    await create(null, { type: 'DYNAMIC', gateways: undefined, locations: [{ country: 'NL' }] });
    expect(await addressOf('203.0.113.7')).toBe('127.0.0.1');
  });

  test('a client behind one is in the zones of its own address: a blocklist holds', async () => {
    await create([LOOPBACK]);
    await create(null, { usage: 'BLOCKLIST', gateways: [{ type: 'CIDR', value: '203.0.113.0/24' }] });
    const headers = { 'x-forwarded-for': '203.0.113.7' };
    expect(await org.admin.get('/api/v1/users/me', { headers })).toMatchObject({ status: 403 });
    expect(await org.admin.get('/api/v1/users/me', { headers: { 'x-forwarded-for': '203.0.112.7' } })).toMatchObject({
      status: 200,
    });
  });

  test.each([
    [{ type: 'CIDR', value: '0.0.0.0/0' }, 'must be at most a'],
    [{ type: 'CIDR', value: '10.0.0.0/7' }, 'must be at most a'],
    [{ type: 'CIDR', value: '2001:db8::/31' }, 'must be at most a'],
    [{ type: 'RANGE', value: '0.0.0.0-255.255.255.255' }, 'must be at most a'],
    [{ type: 'RANGE', value: '2001::-2002::' }, 'must be at most a'],
    [{ type: 'CIDR', value: 'proxy.example.com' }, 'must be an address'],
  ])('%j is refused', async (proxy, text) => {
    const refused = await create([LOOPBACK, proxy]);
    expect(refused).toMatchObject({
      status: 400,
      body: { errorCode: 'E0000001', errorCauses: [{ errorSummary: expect.stringContaining(text) }] },
    });
    expect(refused.body.errorCauses[0].errorSummary).toContain('proxies[1].value');
  });

  test.each([
    { type: 'CIDR', value: '10.0.0.0/8' },
    { type: 'RANGE', value: '10.0.0.0-10.255.255.255' },
    { type: 'CIDR', value: '2001:db8::/32' },
    { type: 'RANGE', value: '2001:db8::-2001:db8:ffff:ffff:ffff:ffff:ffff:ffff' },
  ])('%j is not', async (proxy) => expect((await create([proxy])).status).toBe(200));

  test('no more than a thousand in all zones of an org', async () => {
    const many = (count: number) =>
      Array.from({ length: count }, (_, n) => ({ type: 'CIDR', value: `10.0.${n >> 8}.${n & 255}` }));
    const first = await create(many(999));
    expect(first.status).toBe(200);
    expect((await create(many(1))).status).toBe(200);
    expect(await create(many(1))).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
    expect(await org.admin.put(`${ZONES}/${first.body.id}`, { body: zoneOf(many(1_000)) })).toMatchObject({
      status: 400,
    });
    expect(await org.admin.put(`${ZONES}/${first.body.id}`, { body: zoneOf(many(998)) })).toMatchObject({
      status: 200,
    });
  });
});
