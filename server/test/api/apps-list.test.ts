import { describe, expect, test } from 'vitest';
import { APPS, createApp, newPublicJwk, serviceApp, webApp } from '../support/apps.ts';
import { useService } from '../support/use-service.ts';

const { service, org } = useService();

describe('list', () => {
  test('by pages, by what labels start with, and by a filter', async () => {
    const own = await service.newOrg();
    const made = [];
    for (const label of ['Alpha', 'Beta', 'Beta 2']) made.push(await createApp(own, webApp({}, {}, { label })));
    const jwk = newPublicJwk('listed');
    made.push(await createApp(own, serviceApp({ jwks: { keys: [jwk] } }, {}, { label: 'Gamma' })));
    await own.admin.post(`${APPS}/${made[0].id}/lifecycle/deactivate`);
    const labels = async (query: string) => {
      const { body, status } = await own.admin.get(`${APPS}${query}`);
      expect(status).toBe(200);
      return body.map((app: { label: string }) => app.label).toSorted();
    };
    const filtered = (filter: string) => labels(`?filter=${encodeURIComponent(filter)}`);
    expect(await labels('')).toEqual(['Alpha', 'Beta', 'Beta 2', 'Gamma']);
    expect(await labels('?limit=-1')).toHaveLength(4);
    expect(await labels('?q=Beta')).toEqual(['Beta', 'Beta 2']);
    expect(await labels('?q=oidc_')).toHaveLength(4);
    expect(await labels('?q=%25')).toEqual([]);
    expect(await filtered('status eq "INACTIVE"')).toEqual(['Alpha']);
    expect(await filtered('name eq "oidc_client" and status eq "ACTIVE"')).toHaveLength(3);
    expect(await filtered('name eq "bookmark"')).toEqual([]);
    expect(await filtered(`id eq "${made[1].id}"`)).toEqual(['Beta']);
    const all = (await own.admin.get(APPS)).body;
    const gamma = all.find((app: { label: string }) => app.label === 'Gamma');
    expect(gamma.settings.oauthClient.jwks.keys).toMatchObject([jwk]);
    expect(JSON.stringify(all)).not.toContain('client_secret"');
    const first = await own.admin.get(`${APPS}?limit=3`);
    expect(first.body).toHaveLength(3);
    const next = /<https:\/\/[^/]+([^>]*)>; rel="next"/.exec(String(first.headers['link']))?.[1];
    const second = await own.admin.get(next ?? 'no next page');
    expect([...first.body, ...second.body]).toEqual(all);
    expect(String(second.headers['link'])).not.toContain('rel="next"');
  });

  test.each([
    ['?limit=0', 'E0000001'],
    ['?limit=-2', 'E0000001'],
    ['?limit=many', 'E0000037'],
    ['?after=nonsense', 'E0000029'],
    ['?before=nonsense', 'E0000029'],
    [`?filter=${encodeURIComponent('label eq "App"')}`, 'E0000053'],
    [`?filter=${encodeURIComponent('status co "ACT"')}`, 'E0000031'],
  ])('refuses %s with %s', async (query, errorCode) => {
    expect(await org.admin.get(`${APPS}${query}`)).toMatchObject({ status: 400, body: { errorCode } });
  });

  test('a cursor of another org is refused', async () => {
    const other = await service.newOrg();
    for (let index = 0; index < 2; index += 1) await createApp(other);
    const { headers } = await other.admin.get(`${APPS}?limit=1`);
    const query = /<https:\/\/[^?]+(\?[^>]*)>; rel="next"/.exec(String(headers['link']))?.[1] ?? '';
    expect((await other.admin.get(`${APPS}${query}`)).status).toBe(200);
    expect(await org.admin.get(`${APPS}${query}`)).toMatchObject({ status: 400, body: { errorCode: 'E0000029' } });
  });
});
