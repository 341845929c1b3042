import { describe, expect, test } from 'vitest';
import { APPS, createApp, invalidField, newPublicJwk, serviceApp, webApp } from '../support/apps.ts';
import { useService } from '../support/use-service.ts';

const { service, org } = useService({ isShared: false });

describe('replace', () => {
  test('changes all of it, and logs values before and after without secrets', async () => {
    const own = await service.newOrg();
    const app = await createApp(own, webApp({ tos_uri: 'https://app.example.com/terms' }));
    service.clock.advance(5_000);
    const body = webApp({ redirect_uris: ['https://new.example.com/cb'] }, {}, { label: 'New' });
    const replaced = await own.admin.put(`${APPS}/${app.id}`, { body });
    expect(replaced).toMatchObject({ status: 200, body: { id: app.id, label: 'New', status: 'ACTIVE' } });
    expect(replaced.body.settings.oauthClient).not.toHaveProperty('tos_uri');
    expect(replaced.body.created).toBe(app.created);
    expect(replaced.body.lastUpdated > app.lastUpdated).toBe(true);
    expect(replaced.body.credentials.oauthClient).not.toHaveProperty('client_secret');
    const [event] = await own.systemLog('eventType eq "application.lifecycle.update"');
    expect(event.target).toMatchObject([
      {
        id: app.id,
        alternateId: 'New',
        changeDetails: {
          from: {
            label: 'App',
            'settings.oauthClient.tos_uri': 'https://app.example.com/terms',
            'settings.oauthClient.redirect_uris': ['https://app.example.com/cb'],
          },
          to: { label: 'New', 'settings.oauthClient.tos_uri': null },
        },
      },
    ]);
    expect(JSON.stringify(event)).not.toContain(app.credentials.oauthClient.client_secret);
  });

  test('with what was answered changes nothing', async () => {
    const app = await createApp(org, serviceApp({ jwks: { keys: [newPublicJwk('one')] } }));
    const replaced = await org.admin.put(`${APPS}/${app.id}`, { body: app });
    expect(replaced.status, replaced.text).toBe(200);
    const { lastUpdated: _before, ...before } = app;
    const { lastUpdated: _after, ...after } = replaced.body;
    expect(after).toEqual(before);
  });

  test('with a label alone keeps settings and credentials', async () => {
    const app = await createApp(
      org,
      webApp({ consent_method: 'REQUIRED' }, { token_endpoint_auth_method: 'private_key_jwt' }),
    );
    const body = { name: 'oidc_client', label: 'Relabelled', signOnMode: 'OPENID_CONNECT' };
    const replaced = await org.admin.put(`${APPS}/${app.id}`, { body });
    expect(replaced.body).toMatchObject({
      label: 'Relabelled',
      settings: app.settings,
      credentials: app.credentials,
    });
  });

  test('keys stay where they are not mentioned, and go when the set is emptied', async () => {
    const app = await createApp(org, serviceApp({ jwks: { keys: [newPublicJwk('one'), newPublicJwk('two')] } }));
    const put = (settings: Readonly<Record<string, unknown>>) =>
      org.admin.put(`${APPS}/${app.id}`, { body: serviceApp(settings) });
    expect((await put({})).body.settings.oauthClient.jwks.keys).toHaveLength(2);
    const third = newPublicJwk('three');
    expect((await put({ jwks: { keys: [third] } })).body.settings.oauthClient.jwks.keys).toMatchObject([third]);
    expect((await put({ jwks: { keys: [] } })).body.settings.oauthClient).not.toHaveProperty('jwks');
    expect((await org.admin.get(`${APPS}/${app.id}`)).body.settings.oauthClient).not.toHaveProperty('jwks');
  });

  test('a client that now needs a secret gets one, shown once', async () => {
    const app = await createApp(org, webApp({}, { token_endpoint_auth_method: 'private_key_jwt' }));
    expect(app.credentials.oauthClient).not.toHaveProperty('client_secret');
    const put = (method: string) =>
      org.admin.put(`${APPS}/${app.id}`, { body: webApp({}, { token_endpoint_auth_method: method }) });
    const first = await put('client_secret_post');
    expect(first.body.credentials.oauthClient.client_secret).toMatch(/^\S{40,}$/);
    const second = await put('client_secret_basic');
    expect(second.body.credentials.oauthClient).not.toHaveProperty('client_secret');
  });

  test('a secret that the client has is shown back; another takes its place', async () => {
    const app = await createApp(org, webApp());
    const put = (secret: string) => org.admin.put(`${APPS}/${app.id}`, { body: webApp({}, { client_secret: secret }) });
    const secrets = async () => {
      const { rows } = await service.application.pool.query<{ id: string }>(
        'select id from app_secrets where org_id = $1 and app_id = $2',
        [org.id, app.id],
      );
      return rows;
    };
    const before = await secrets();
    const { client_secret: own } = app.credentials.oauthClient;
    expect((await put(own)).body.credentials.oauthClient.client_secret).toBe(own);
    expect(await secrets()).toEqual(before);
    expect((await put('another-secret-1')).body.credentials.oauthClient.client_secret).toBe('another-secret-1');
    expect(await secrets()).toHaveLength(1);
    expect(await secrets()).not.toEqual(before);
    const filter = `eventType sw "app.oauth2.credentials.lifecycle" and target.id eq "${app.id}"`;
    expect(await org.systemLog(filter)).toMatchObject([
      { eventType: 'app.oauth2.credentials.lifecycle.delete', target: [{ id: app.id }, { id: before[0]?.id }] },
      { eventType: 'app.oauth2.credentials.lifecycle.create', target: [{ id: app.id }, {}] },
    ]);
  });

  test('refuses another type, another client id, and what create refuses', async () => {
    const app = await createApp(org);
    const put = (body: Readonly<Record<string, unknown>>) => org.admin.put(`${APPS}/${app.id}`, { body });
    expect(await put(webApp({ application_type: 'native' }))).toMatchObject(
      invalidField('settings.oauthClient.application_type'),
    );
    expect(await put(webApp({}, { client_id: 'another-id' }))).toMatchObject(
      invalidField('credentials.oauthClient.client_id'),
    );
    expect(await put(webApp({ tos_uri: 'javascript:x' }))).toMatchObject(invalidField('settings.oauthClient.tos_uri'));
    expect(await put(webApp({}, {}, { signOnMode: 'BOOKMARK' }))).toMatchObject(invalidField('signOnMode'));
    expect((await org.admin.get(`${APPS}/${app.id}`)).body.lastUpdated).toBe(app.lastUpdated);
  });

  test('raises the revision', async () => {
    const app = await createApp(org);
    await org.admin.put(`${APPS}/${app.id}`, { body: webApp() });
    await org.admin.put(`${APPS}/${app.id}`, { body: webApp() });
    const { rows } = await service.application.pool.query('select revision from apps where org_id = $1 and id = $2', [
      org.id,
      app.id,
    ]);
    expect(Number(rows[0]?.revision)).toBe(3);
  });
});
