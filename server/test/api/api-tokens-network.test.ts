import { beforeAll, describe, expect, test } from 'vitest';
import { invalidField } from '../support/apps.ts';
import { trustProxy } from '../support/org-settings.ts';
import type { TestOrg } from '../support/service.ts';
import { useService } from '../support/use-service.ts';

const { service, org } = useService();

beforeAll(async () => {
  await trustProxy(service, org, '127.0.0.1/32');
});

const TOKENS = '/api/v1/api-tokens';
const OFFICE = '203.0.113.7';
const ELSEWHERE = '198.51.100.7';

let zones = 0;
async function newZone(of: TestOrg, cidr = '203.0.113.0/24'): Promise<string> {
  zones += 1;
  const body = { type: 'IP', name: `Zone ${zones}`, gateways: [{ type: 'CIDR', value: cidr }] };
  return (await of.admin.post('/api/v1/zones', { body })).body.id;
}

/** `from` sends a request from an address and returns the status. */
async function newToken() {
  const owner = await org.withRoles('READ_ONLY_ADMIN');
  const tokens = (await org.admin.get(`${TOKENS}?limit=200`)).body;
  const { id } = tokens.find((token: { userId: string }) => token.userId === owner.userId);
  const from = async (address: string) =>
    (await owner.get('/api/v1/zones', { headers: { 'x-forwarded-for': address } })).status;
  return { id: id as string, from, owner };
}

const hold = (id: string, network: unknown) => org.admin.put(`${TOKENS}/${id}`, { body: { name: 'held', network } });

describe('the network of a token', () => {
  test('is kept, told and taken back', async () => {
    const { id } = await newToken();
    const zone = await newZone(org);
    const network = { connection: 'ZONE', include: [zone] };
    expect(await hold(id, { ...network, exclude: null })).toMatchObject({ status: 200, body: { network } });
    expect((await org.admin.get(`${TOKENS}/${id}`)).body.network).toEqual(network);
    expect((await hold(id, { connection: 'ANYWHERE' })).body.network).toEqual({ connection: 'ANYWHERE' });
    const events = await org.systemLog(`target.id eq "${id}" and eventType eq "system.api_token.update"`);
    expect(events.map(({ target }) => target[0].changeDetails.to.network)).toEqual([
      network,
      { connection: 'ANYWHERE' },
    ]);
  });

  test.each([
    { connection: 'ZONE' },
    { connection: 'MOON', include: ['x'] },
    { connection: 'ZONE', include: ['nzo00000000000000000'] },
    { connection: 'ANYWHERE', exclude: ['x'] },
  ])('%j is refused', async (network) => {
    const { id } = await newToken();
    expect(await hold(id, network)).toMatchObject(invalidField('network'));
  });

  test('names no zone of another org', async () => {
    const other = await service.newOrg();
    const { id } = await newToken();
    expect(await hold(id, { connection: 'ZONE', include: [await newZone(other)] })).toMatchObject(
      invalidField('network'),
    );
  });
});

describe('a token is used', () => {
  test('from inside its zones only, at once', async () => {
    const { from, id } = await newToken();
    const zone = await newZone(org);
    expect([await from(OFFICE), await from(ELSEWHERE)]).toEqual([200, 200]);
    await hold(id, { connection: 'ZONE', include: [zone] });
    expect([await from(OFFICE), await from(ELSEWHERE)]).toEqual([200, 401]);
    await hold(id, { connection: 'ZONE', exclude: [zone] });
    expect([await from(OFFICE), await from(ELSEWHERE)]).toEqual([401, 200]);
    await hold(id, { connection: 'ANYWHERE' });
    expect([await from(OFFICE), await from(ELSEWHERE)]).toEqual([200, 200]);
  });

  test('not from a zone that is off, and the refusal is told', async () => {
    const { from, id, owner } = await newToken();
    const zone = await newZone(org);
    await hold(id, { connection: 'ZONE', include: [zone] });
    await org.admin.post(`/api/v1/zones/${zone}/lifecycle/deactivate`);
    expect(await from(OFFICE)).toBe(401);
    expect(await from(OFFICE)).toBe(401);
    await service.application.edgeEvents.flush(true);
    expect(await org.systemLog('eventType eq "system.api_token.request_outside_allowed_range"')).toContainEqual(
      expect.objectContaining({
        actor: expect.objectContaining({ id: owner.userId }),
        target: [expect.objectContaining({ id, type: 'Token' })],
        outcome: { result: 'DENY', reason: 'NETWORK' },
        debugContext: { debugData: expect.objectContaining({ count: '2' }) },
      }),
    );
  });

  test('a zone that a token names is not deleted', async () => {
    const { id } = await newToken();
    const zone = await newZone(org);
    await hold(id, { connection: 'ZONE', exclude: [zone] });
    await org.admin.post(`/api/v1/zones/${zone}/lifecycle/deactivate`);
    expect(await org.admin.del(`/api/v1/zones/${zone}`)).toMatchObject({ status: 400 });
    await hold(id, { connection: 'ANYWHERE' });
    expect(await org.admin.del(`/api/v1/zones/${zone}`)).toMatchObject({ status: 204 });
  });

  test('does not free itself', async () => {
    const admin = await org.withRoles('ORG_ADMIN');
    const tokens = (await org.admin.get(`${TOKENS}?limit=200`)).body;
    const { id } = tokens.find((token: { userId: string }) => token.userId === admin.userId);
    await hold(id, { connection: 'ZONE', include: [await newZone(org)] });
    const options = {
      body: { network: { connection: 'ANYWHERE' } },
      headers: { 'x-forwarded-for': OFFICE },
    };
    expect(await admin.put(`${TOKENS}/${id}`, options)).toMatchObject({ status: 403, body: { errorCode: 'E0000006' } });
    const rename = { ...options, body: { name: 'mine' } };
    expect(await admin.put(`${TOKENS}/${id}`, rename)).toMatchObject({ status: 200, body: { name: 'mine' } });
  });
});
