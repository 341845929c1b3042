import { describe, expect, test } from 'vitest';
import { findPlainRedirectApps } from '../../src/management/apps/index.ts';
import { APPS, createApp, invalidField, webApp } from '../support/apps.ts';
import { changeSettings } from '../support/org-settings.ts';
import { useService } from '../support/use-service.ts';

const { service, org } = useService({ isShared: false });

const PLAIN = 'http://rp.example.com/cb';
const ON_DEVICE = ['http://localhost/cb', 'http://127.0.0.1:8080/cb', 'http://[::1]:9000/cb'];
const FIELD = 'settings.oauthClient.redirect_uris';

const withUris = (uris: readonly string[], type = 'web') => webApp({ redirect_uris: uris, application_type: type });
const allow = (value: 'allowed' | 'refused' | null, of = org) =>
  changeSettings(service, of, { httpRedirectUris: value });

describe('a new org', () => {
  test.each(['web', 'browser'])(
    'takes no http:// redirect URI of an app of type %s but on the device',
    async (type) => {
      const refused = await org.admin.post(APPS, { body: withUris(['https://rp.example.com/cb', PLAIN], type) });
      expect(refused.status).toBe(400);
      expect(refused.body.errorCauses[0].errorSummary).toContain('must have the scheme https');
      expect((await org.admin.post(APPS, { body: withUris(ON_DEVICE, type) })).status).toBe(200);
    },
  );

  test('takes none by registration, nor by a replacement', async () => {
    const metadata = { client_name: 'Plain', redirect_uris: [PLAIN], grant_types: ['authorization_code'] };
    const registered = await org.admin.post('/oauth2/v1/clients', { body: metadata });
    expect(registered).toMatchObject({ status: 400, body: { error: 'invalid_redirect_uri' } });
    const app = await createApp(org);
    const { body } = await org.admin.get(`${APPS}/${app.id}`);
    body.settings.oauthClient.redirect_uris = [PLAIN];
    expect(await org.admin.put(`${APPS}/${app.id}`, { body })).toMatchObject(invalidField(FIELD));
  });

  test('lets native apps have schemes of their own, and nobody else', async () => {
    const own = ['com.example.app:/cb', 'myapp://callback'];
    const settings = { redirect_uris: own, post_logout_redirect_uris: own, application_type: 'native' };
    expect((await createApp(org, webApp(settings))).settings.oauthClient.redirect_uris).toEqual(own);
    for (const type of ['web', 'browser']) {
      expect(await org.admin.post(APPS, { body: withUris(own, type) })).toMatchObject(invalidField(FIELD));
    }
  });
});

describe('an org that allows them', () => {
  test('takes them; what is there stays when the org takes that back, and doctor names it', async () => {
    const other = await service.newOrg();
    await allow('allowed', other);
    const app = await createApp(other, withUris([PLAIN]));
    expect((await other.admin.post(APPS, { body: withUris(['javascript:alert(1)']) })).status).toBe(400);
    await allow(null, other);
    expect((await other.admin.post(APPS, { body: withUris([PLAIN]) })).status).toBe(400);
    const { body } = await other.admin.get(`${APPS}/${app.id}`);
    body.label = 'Renamed';
    expect((await other.admin.put(`${APPS}/${app.id}`, { body })).status).toBe(200);
    body.settings.oauthClient.redirect_uris = [PLAIN, 'http://rp.example.com/other'];
    expect((await other.admin.put(`${APPS}/${app.id}`, { body })).status).toBe(400);
    const found = await findPlainRedirectApps(service.application.db, 10);
    expect(found).toEqual([expect.objectContaining({ appId: app.id })]);
  });

  test('is told which values there are', async () => {
    await expect(changeSettings(service, org, { httpRedirectUris: 'perhaps' })).rejects.toMatchObject({
      code: 'E0000001',
    });
  });
});
