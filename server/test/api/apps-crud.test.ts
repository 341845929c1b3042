import { describe, expect, test } from 'vitest';
import { APPS, createApp, newPublicJwk, serviceApp, webApp, webSettings } from '../support/apps.ts';
import { changeSettings } from '../support/org-settings.ts';
import { useService } from '../support/use-service.ts';

const { service, org } = useService();

describe('create', () => {
  test('answers as the contract records it', async () => {
    const body = {
      accessibility: {},
      credentials: {
        oauthClient: { autoKeyRotation: true, pkce_required: false, token_endpoint_auth_method: 'client_secret_basic' },
        userNameTemplate: { template: '${source.login}', type: 'BUILT_IN' },
      },
      label: 'Recorded',
      name: 'oidc_client',
      settings: {
        notes: {},
        oauthClient: {
          application_type: 'service',
          consent_method: 'TRUSTED',
          dpop_bound_access_tokens: false,
          grant_types: ['implicit', 'client_credentials'],
          idp_initiated_login: { default_scope: [], mode: 'DISABLED' },
          issuer_mode: 'ORG_URL',
          redirect_uris: ['http://test.com'],
          response_types: ['token'],
          wildcard_redirect: 'DISABLED',
        },
      },
      signOnMode: 'OPENID_CONNECT',
      visibility: { hide: { iOS: true, web: true } },
    };
    // The recorded org accepted redirect URIs that use plain HTTP.
    await changeSettings(service, org, { httpRedirectUris: 'allowed' });
    const response = await org.admin.post(`${APPS}?activate=true`, { body });
    const { id } = response.body;
    expect(id).toMatch(/^0oa[0-9A-Za-z]{17}$/);
    const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/);
    const address = `${org.baseUrl}${APPS}/${id}`;
    const answer = {
      id,
      orn: `orn:svc:idp:${org.id}:apps:oidc_client:${id}`,
      name: 'oidc_client',
      label: 'Recorded',
      status: 'ACTIVE',
      lastUpdated: instant,
      created: instant,
      accessibility: { selfService: false, errorRedirectUrl: null, loginRedirectUrl: null },
      visibility: {
        autoLaunch: false,
        autoSubmitToolbar: false,
        hide: { iOS: true, web: true },
        appLinks: { oidc_client_link: true },
      },
      features: [],
      signOnMode: 'OPENID_CONNECT',
      credentials: {
        userNameTemplate: { template: '${source.login}', type: 'BUILT_IN' },
        signing: { kid: expect.stringMatching(/^[\w-]{43}$/) },
        oauthClient: {
          autoKeyRotation: true,
          client_id: id,
          client_secret: expect.stringMatching(/^\S{40,}$/),
          token_endpoint_auth_method: 'client_secret_basic',
          pkce_required: false,
        },
      },
      universalLogout: null,
      settings: {
        app: {},
        notifications: { vpn: { network: { connection: 'DISABLED' }, message: null, helpUrl: null } },
        manualProvisioning: false,
        implicitAssignment: false,
        emOptInStatus: 'NONE',
        notes: { admin: null, enduser: null },
        oauthClient: {
          client_uri: null,
          logo_uri: null,
          redirect_uris: ['http://test.com'],
          response_types: ['token'],
          grant_types: ['implicit', 'client_credentials'],
          application_type: 'service',
          consent_method: 'TRUSTED',
          issuer_mode: 'ORG_URL',
          idp_initiated_login: { mode: 'DISABLED', default_scope: [] },
          wildcard_redirect: 'DISABLED',
          dpop_bound_access_tokens: false,
          participate_slo: false,
        },
      },
      _links: {
        self: { href: address },
        uploadLogo: { href: `${address}/logo`, hints: { allow: ['POST'] } },
        appLinks: [],
        profileEnrollment: { href: expect.stringMatching(`^${org.baseUrl}/api/v1/policies/rst\\w{17}$`) },
        policies: { href: `${address}/policies`, hints: { allow: ['PUT'] } },
        groups: { href: `${address}/groups` },
        logo: [{ name: 'medium', href: expect.stringMatching(`^${org.baseUrl}/`), type: 'image/svg+xml' }],
        clientCredentials: [{ name: 'secrets', href: `${address}/credentials/secrets` }],
        accessPolicy: { href: expect.stringMatching(`^${org.baseUrl}/api/v1/policies/rst\\w{17}$`) },
        users: { href: `${address}/users` },
        deactivate: { href: `${address}/lifecycle/deactivate` },
      },
    };
    expect(response).toMatchObject({ status: 200, body: answer });
    const { client_secret: _, ...shownLater } = answer.credentials.oauthClient;
    const got = await org.admin.get(`${APPS}/${id}`);
    expect(got.body).toEqual({ ...answer, credentials: { ...answer.credentials, oauthClient: shownLater } });
  });

  test('where nothing is said of it, a client is hidden and its issuer follows the address (recorded)', async () => {
    const app = await createApp(org, webApp());
    expect(app.visibility.hide).toEqual({ iOS: true, web: true });
    expect(app.settings.oauthClient.issuer_mode).toBe('DYNAMIC');
    const shown = await createApp(org, webApp({}, {}, { visibility: { hide: { web: false } } }));
    expect(shown.visibility.hide).toEqual({ iOS: true, web: false });
    const { visibility: _shown, ...unsaid } = shown;
    const again = await org.admin.put(`${APPS}/${shown.id}`, { body: unsaid });
    expect(again).toMatchObject({ status: 200, body: { visibility: shown.visibility } });
  });

  test('what controls consent is stored whole', async () => {
    const settings = {
      client_uri: 'https://app.example.com',
      logo_uri: 'https://app.example.com/logo.png',
      tos_uri: 'https://app.example.com/terms',
      policy_uri: 'https://app.example.com/policy',
      consent_method: 'REQUIRED',
      post_logout_redirect_uris: ['https://app.example.com/bye'],
      initiate_login_uri: 'https://app.example.com/login',
      idp_initiated_login: { mode: 'SVC', default_scope: ['openid'] },
      grant_types: ['authorization_code', 'refresh_token', 'urn:svc:params:oauth:grant-type:otp'],
      refresh_token: { rotation_type: 'ROTATE', leeway: 10 },
      jwks_uri: 'https://app.example.com/keys',
      subject_type: 'pairwise',
      sector_identifier_uri: 'https://app.example.com/sector',
      frontchannel_logout_uri: 'https://app.example.com/logout',
      frontchannel_logout_session_required: true,
      participate_slo: true,
    };
    const given = {
      accessibility: { selfService: true, errorRedirectUrl: 'https://app.example.com/error' },
      profile: { owner: { team: 'shop' } },
      licensing: { seatCount: 3 },
    };
    const notes = { admin: 'A', enduser: 'B' };
    const whole = { ...given, label: 'Whole', settings: { notes, oauthClient: webSettings(settings) } };
    const app = await createApp(org, webApp({}, {}, whole));
    expect(app).toMatchObject({ ...given, settings: { notes, oauthClient: settings } });
    expect((await org.admin.get(`${APPS}/${app.id}`)).body).toMatchObject({ ...given, settings: app.settings });
  });

  test.each([
    ['web', webApp(), 'client_secret_basic'],
    ['native', webApp({ application_type: 'native', redirect_uris: ['myapp://cb'] }), 'none'],
    ['browser', webApp({ application_type: 'browser' }), 'none'],
    ['service', serviceApp(), 'private_key_jwt'],
  ])('an app of type %s', async (type, body, method) => {
    const app = await createApp(org, body);
    expect(app.settings.oauthClient.application_type).toBe(type);
    expect(app.credentials.oauthClient.token_endpoint_auth_method).toBe(method);
    expect('client_secret' in app.credentials.oauthClient).toBe(method === 'client_secret_basic');
    expect('clientCredentials' in app._links).toBe(method === 'client_secret_basic');
  });

  test('with a secret of its own', async () => {
    const secret = 'a-secret-of-our-own!';
    const app = await createApp(org, webApp({}, { client_secret: secret }));
    expect(app.credentials.oauthClient.client_secret).toBe(secret);
  });

  test('with keys of its own, which it shows', async () => {
    const jwk = newPublicJwk('first');
    const app = await createApp(org, serviceApp({ jwks: { keys: [jwk] } }));
    expect(app.settings.oauthClient.jwks.keys).toMatchObject([{ ...jwk, status: 'ACTIVE' }]);
    const { body } = await org.admin.get(`${APPS}/${app.id}`);
    expect(body.settings).toEqual(app.settings);
  });

  test('inactive where asked to, with the links of that', async () => {
    const own = await service.newOrg();
    const { body } = await own.admin.post(`${APPS}?activate=false`, { body: webApp() });
    expect(body).toMatchObject({
      status: 'INACTIVE',
      _links: {
        activate: { href: `${own.baseUrl}${APPS}/${body.id}/lifecycle/activate` },
        delete: { href: `${own.baseUrl}${APPS}/${body.id}` },
      },
    });
    expect(body._links).not.toHaveProperty('deactivate');
    expect(await own.systemLog('eventType sw "application"')).toMatchObject([
      { eventType: 'application.lifecycle.create' },
    ]);
  });

  test('is logged, without the secret', async () => {
    const own = await service.newOrg();
    const app = await createApp(own);
    const events = await own.systemLog('eventType sw "application."');
    const target = [{ id: app.id, type: 'AppInstance', alternateId: 'App' }];
    expect(events).toMatchObject([
      { eventType: 'application.lifecycle.create', target, actor: { id: own.adminUserId } },
      { eventType: 'application.lifecycle.activate', target },
    ]);
    expect(JSON.stringify(events)).not.toContain(app.credentials.oauthClient.client_secret);
  });

  test('two apps may have one label', async () => {
    const [first, second] = [await createApp(org), await createApp(org)];
    expect(first.label).toBe(second.label);
  });

  test('a repeated Idempotency-Key makes one, and shows the secret once', async () => {
    const options = { body: webApp(), headers: { 'idempotency-key': 'create-app-1' } };
    const [first, second] = [await org.admin.post(APPS, options), await org.admin.post(APPS, options)];
    expect(second).toMatchObject({ status: 200, body: { id: first.body.id } });
    expect(first.body.credentials.oauthClient).toHaveProperty('client_secret');
    expect(second.body.credentials.oauthClient).not.toHaveProperty('client_secret');
    const other = { body: webApp({}, {}, { label: 'Other' }), headers: options.headers };
    expect(await org.admin.post(APPS, other)).toMatchObject({ status: 409, body: { errorCode: 'E0000195' } });
  });

  test('two at once with one Idempotency-Key make one', async () => {
    const options = { body: webApp(), headers: { 'idempotency-key': 'create-app-2' } };
    const both = await Promise.all([org.admin.post(APPS, options), org.admin.post(APPS, options)]);
    expect(both.map(({ status }) => status)).toEqual([200, 200]);
    expect(both[0]?.body.id).toBe(both[1]?.body.id);
  });
});

describe('who may', () => {
  test('apps of another org are unknown, and their keys with them', async () => {
    const other = await service.newOrg();
    const { id } = await createApp(other, serviceApp({ jwks: { keys: [newPublicJwk('theirs')] } }));
    const address = `${APPS}/${id}`;
    const notFound = {
      status: 404,
      body: { errorCode: 'E0000007', errorSummary: `Not found: Resource not found: ${id} (AppInstance)` },
    };
    expect(await org.admin.get(address)).toMatchObject(notFound);
    expect(await org.admin.put(address, { body: serviceApp() })).toMatchObject(notFound);
    expect(await org.admin.del(address)).toMatchObject(notFound);
    for (const action of ['activate', 'deactivate']) {
      expect(await org.admin.post(`${address}/lifecycle/${action}`)).toMatchObject(notFound);
    }
    expect((await other.admin.get(address)).body).toMatchObject({ status: 'ACTIVE' });
  });

  test('an application administrator; a reader reads; others nothing', async () => {
    const { id } = await createApp(org);
    const forbidden = { status: 403, body: { errorCode: 'E0000006' } };
    const manager = await org.withRoles('APP_ADMIN');
    expect(await manager.put(`${APPS}/${id}`, { body: webApp() })).toMatchObject({ status: 200 });
    const reader = await org.withRoles('READ_ONLY_ADMIN');
    expect(await reader.get(`${APPS}/${id}`)).toMatchObject({ status: 200 });
    expect(await reader.post(APPS, { body: webApp() })).toMatchObject(forbidden);
    expect(await reader.put(`${APPS}/${id}`, { body: webApp() })).toMatchObject(forbidden);
    const nobody = await org.withRoles();
    expect(await nobody.get(APPS)).toMatchObject(forbidden);
    expect(await org.anonymous.get(APPS)).toMatchObject({ status: 401 });
  });
});
