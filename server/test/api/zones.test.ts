import { describe, expect, test } from 'vitest';
import type { TestOrg } from '../support/service.ts';
import { useService } from '../support/use-service.ts';

const { service, org } = useService({ isShared: false });

let names = 0;
const ipZone = (given: Readonly<Record<string, unknown>> = {}): Record<string, unknown> => {
  names += 1;
  return { type: 'IP', name: `zone ${names}`, gateways: [{ type: 'CIDR', value: '203.0.113.0/24' }], ...given };
};
const create = (body: unknown, of: TestOrg = org) => of.admin.post('/api/v1/zones', { body });

describe('a new org', () => {
  test('has the two system zones, which hold nothing and stay', async () => {
    const fresh = await service.newOrg();
    const { body } = await fresh.admin.get('/api/v1/zones');
    expect(body).toMatchObject([
      { system: true, type: 'IP', gateways: [] },
      { system: true, type: 'IP', gateways: [] },
    ]);
    expect(body.map((zone: { name: string; usage: string }) => [zone.name, zone.usage]).toSorted()).toEqual([
      ['BlockedIpZone', 'BLOCKLIST'],
      ['LegacyIpZone', 'POLICY'],
    ]);
    for (const zone of body) {
      await fresh.admin.post(`/api/v1/zones/${zone.id}/lifecycle/deactivate`);
      expect(await fresh.admin.del(`/api/v1/zones/${zone.id}`)).toMatchObject({
        status: 400,
        body: { errorCode: 'E0000001' },
      });
    }
  });
});

describe('CRUD', () => {
  test('an IP zone is made, read, replaced, deactivated, deleted, and each of it is logged', async () => {
    const made = await create(ipZone({ proxies: [{ type: 'RANGE', value: '198.51.100.1-198.51.100.9' }] }));
    expect(made).toMatchObject({
      status: 200,
      body: { type: 'IP', usage: 'POLICY', status: 'ACTIVE', system: false, gateways: [{ type: 'CIDR' }] },
    });
    const path = `/api/v1/zones/${made.body.id}`;
    expect(made.body._links).toMatchObject({
      // Only an inactive zone can be deleted.
      self: { href: org.baseUrl + path, hints: { allow: ['GET', 'PUT'] } },
      deactivate: { href: `${org.baseUrl}${path}/lifecycle/deactivate` },
    });
    expect((await org.admin.get(path)).body).toEqual(made.body);
    const replaced = await org.admin.put(path, { body: ipZone({ name: 'renamed', usage: 'BLOCKLIST', gateways: [] }) });
    expect(replaced).toMatchObject({ status: 200, body: { name: 'renamed', usage: 'BLOCKLIST', proxies: null } });
    expect(await org.admin.del(path)).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
    const off = await org.admin.post(`${path}/lifecycle/deactivate`);
    const self = { hints: { allow: ['GET', 'PUT', 'DELETE'] } };
    expect(off).toMatchObject({ status: 200, body: { status: 'INACTIVE', _links: { activate: {}, self } } });
    expect(await org.admin.post(`${path}/lifecycle/deactivate`)).toMatchObject({ status: 200 });
    expect(await org.admin.del(path)).toMatchObject({ status: 204 });
    expect(await org.admin.get(path)).toMatchObject({ status: 404, body: { errorCode: 'E0000007' } });
    const log = await org.systemLog(`target.id eq "${made.body.id}"`);
    expect(log.map((event) => event.eventType)).toEqual([
      'zone.create',
      'zone.update',
      'zone.make_blacklist',
      'zone.deactivate',
      'zone.delete',
    ]);
  });

  test('dynamic zones keep what the contract names', async () => {
    const dynamic = await create({
      type: 'DYNAMIC',
      name: 'countries',
      locations: [{ country: 'US' }, { country: 'AF', region: 'AF-BGL' }],
      proxyType: '',
    });
    expect(dynamic).toMatchObject({
      status: 200,
      body: {
        locations: [
          { country: 'AF', region: 'AF-BGL' },
          { country: 'US', region: null },
        ],
        proxyType: '',
      },
    });
    const enhanced = await create({
      type: 'DYNAMIC_V2',
      name: 'enhanced',
      asns: {},
      ipServiceCategories: { include: ['ALL_IP_SERVICES'], exclude: ['SURFSHARK_VPN'] },
      locations: { include: [{ country: 'US' }] },
    });
    expect(enhanced).toMatchObject({
      status: 200,
      body: { asns: { include: [], exclude: [] }, locations: { include: [{ country: 'US' }], exclude: [] } },
    });
  });

  test('the list is paged and filtered', async () => {
    const fresh = await service.newOrg();
    for (const name of ['a', 'b', 'c']) await create(ipZone({ name }), fresh);
    const first = await fresh.admin.get('/api/v1/zones?limit=3');
    expect(first.body).toHaveLength(3);
    const next = String(first.headers['link']).match(/<([^>]+)>; rel="next"/)?.[1] ?? '';
    expect((await fresh.admin.get(new URL(next).pathname + new URL(next).search)).body).toHaveLength(2);
    const blocklists = await fresh.admin.get(`/api/v1/zones?filter=${encodeURIComponent('usage eq "BLOCKLIST"')}`);
    expect(blocklists.body.map((zone: { name: string }) => zone.name)).toEqual(['BlockedIpZone']);
    const own = await fresh.admin.get(`/api/v1/zones?filter=${encodeURIComponent('system eq false')}`);
    expect(own.body).toHaveLength(3);
  });
});

describe('refusals', () => {
  test.each([
    ['an address that is none', { gateways: [{ type: 'CIDR', value: '1.2.3' }] }, 'gateways[0].value'],
    ['a prefix too long', { gateways: [{ type: 'CIDR', value: '1.2.3.4/33' }] }, 'gateways[0].value'],
    ['a range backwards', { gateways: [{ type: 'RANGE', value: '1.2.3.9-1.2.3.4' }] }, 'gateways[0].value'],
    ['a range of two families', { gateways: [{ type: 'RANGE', value: '1.2.3.9-::1' }] }, 'gateways[0].value'],
    ['an unknown kind of address', { gateways: [{ type: 'HOST', value: 'a' }] }, 'gateways[0].type'],
    ['no name', { name: ' ' }, 'name'],
    ['a name of 129 characters', { name: 'x'.repeat(129) }, 'name'],
    ['gateways that are no list', { gateways: 'all' }, 'gateways'],
  ])('%s', async (_, given, field) => {
    expect(await create(ipZone(given))).toMatchObject({
      status: 400,
      body: { errorCode: 'E0000001', errorSummary: `Api validation failed: ${field}` },
    });
  });

  test.each([
    ['an unknown country', { type: 'DYNAMIC', locations: [{ country: 'usa' }] }, 'locations[0].country'],
    ['an unknown proxy kind', { type: 'DYNAMIC', proxyType: 'Some' }, 'proxyType'],
    ['a blocklist of what is not known', { type: 'DYNAMIC', usage: 'BLOCKLIST', proxyType: 'Tor' }, 'proxyType'],
    ['a blocklist of networks', { type: 'DYNAMIC_V2', usage: 'BLOCKLIST', asns: { include: ['1'] } }, 'asns'],
    ['an unknown type', { type: 'PLANET' }, 'type'],
  ])('%s', async (_, given, field) => {
    expect(await create({ name: `zone of ${field}`, ...given })).toMatchObject({
      status: 400,
      body: { errorCode: 'E0000001', errorSummary: `Api validation failed: ${field}` },
    });
  });

  test('a name twice, and another type on replace', async () => {
    const made = await create(ipZone({ name: 'twin' }));
    expect(await create(ipZone({ name: 'twin' }))).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
    const body = { type: 'DYNAMIC', name: 'twin', locations: [{ country: 'US' }] };
    expect(await org.admin.put(`/api/v1/zones/${made.body.id}`, { body })).toMatchObject({ status: 400 });
    expect((await org.admin.get(`/api/v1/zones/${made.body.id}`)).body).toEqual(made.body);
  });
});

describe('a blocklist zone at the edge', () => {
  test('refuses its addresses with 403 before anything else, and only while it is active', async () => {
    const fresh = await service.newOrg();
    const zone = await create(
      ipZone({ usage: 'BLOCKLIST', gateways: [{ type: 'CIDR', value: '127.0.0.0/8' }] }),
      fresh,
    );
    expect(zone.status).toBe(200);
    const blocked = await fresh.admin.get('/api/v1/users/me');
    expect(blocked).toMatchObject({ status: 403, body: { errorCode: 'E0000006' } });
    expect(await fresh.anonymous.get('/.well-known/svc-organization')).toMatchObject({ status: 403 });
    expect(await org.admin.get('/api/v1/users/me')).toMatchObject({ status: 200 });
    await service.application.edgeEvents.flush(true);
    await service.database.pool.query("update network_zones set status = 'INACTIVE' where id = $1", [zone.body.id]);
    service.clock.advance(1_100);
    expect(await fresh.admin.get('/api/v1/users/me')).toMatchObject({ status: 200 });
    const [event] = await fresh.systemLog('eventType eq "security.request.blocked"');
    expect(event).toMatchObject({
      outcome: { result: 'DENY', reason: 'BLOCKLIST' },
      client: { ipAddress: '127.0.0.1' },
      target: [{ id: zone.body.id, type: 'NetworkZone' }],
      debugContext: { debugData: { count: '2' } },
    });
  });
});
