import { describe, expect, test } from 'vitest';
import { ApiError } from '../../../kernel/errors/errors.ts';
import { wireGrantType } from '../../../kernel/grant-types.ts';
import { APPLICATION_TYPES } from '../../../kernel/words/client-words.ts';
import { namespaceOf } from '../../../kernel/words/namespace.ts';
import { assertSameClientId } from '../clients/client-id-rules.ts';
import type { ClientInput } from '../contract.ts';
import { appLifecycle } from '../lifecycle.ts';
import { kindOf } from '../modes/kind-rules.ts';
import { readLabel } from './common-rules.ts';
import { type ClientDocument, isClientDocument } from './document-contract.ts';
import { assertSameMode, readDocument as readAnyDocument, takesSecret } from './document-rules.ts';
import { wireLoginMode } from './oauth-settings-rules.ts';

const SVC = namespaceOf('svc');

type Settings = NonNullable<NonNullable<ClientInput['settings']>['oauthClient']>;
type Credentials = NonNullable<NonNullable<ClientInput['credentials']>['oauthClient']>;

function readDocument(given: ClientInput, namespace = SVC, before?: ClientDocument): ClientDocument {
  const setting = {
    namespace,
    baseUrl: 'https://acme.example',
    now: '2026-01-01T00:00:00.000Z',
    httpRedirectUris: 'refused',
  } as const;
  const document = readAnyDocument(kindOf('OPENID_CONNECT', given.name), given, setting, before);
  if (!isClientDocument(document)) throw new Error('not the document of a client');
  return document;
}

const input = (
  settings: Partial<Settings>,
  credentials: Credentials = {},
  given: Partial<ClientInput> = {},
): ClientInput => ({
  signOnMode: 'OPENID_CONNECT',
  label: 'App',
  settings: {
    oauthClient: { grant_types: ['authorization_code'], redirect_uris: ['https://app.example/cb'], ...settings },
  },
  credentials: { oauthClient: credentials },
  ...given,
});
const service = (settings: Partial<Settings> = {}, credentials: Credentials = {}): ClientInput =>
  input(
    { application_type: 'service', grant_types: ['client_credentials'], redirect_uris: [], ...settings },
    credentials,
  );

function refusedField(run: () => unknown): string | null {
  try {
    run();
    return null;
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'E0000001') throw error;
    const field = error.message.replace('Api validation failed: ', '');
    expect(error.causes[0]?.errorSummary).toContain(`${field}: `);
    return field;
  }
}
const refusal = (given: ClientInput, before?: ClientInput) =>
  refusedField(() => readDocument(given, SVC, before === undefined ? undefined : readDocument(before, SVC)));

describe('defaults', () => {
  test.each([
    ['web', 'client_secret_basic', false],
    ['native', 'none', true],
    ['browser', 'none', true],
    ['service', 'private_key_jwt', false],
  ] as const)('of an app of type %s: %s', (type, method, pkceRequired) => {
    const { credentials } = readDocument(type === 'service' ? service() : input({ application_type: type }), SVC);
    expect(credentials.oauthClient).toEqual({
      token_endpoint_auth_method: method,
      ...(type === 'web' ? { takesSecretEitherWay: true } : {}),
      autoKeyRotation: true,
      pkce_required: pkceRequired,
    });
  });

  test('of everything else', () => {
    expect(readDocument(input({}), SVC)).toEqual({
      name: 'oidc_client',
      accessibility: { selfService: false, errorRedirectUrl: null, loginRedirectUrl: null },
      visibility: {
        autoLaunch: false,
        autoSubmitToolbar: false,
        hide: { iOS: true, web: true },
        appLinks: { oidc_client_link: true },
      },
      features: [],
      credentials: {
        oauthClient: {
          token_endpoint_auth_method: 'client_secret_basic',
          takesSecretEitherWay: true,
          autoKeyRotation: true,
          pkce_required: false,
        },
        userNameTemplate: { template: '${source.login}', type: 'BUILT_IN' },
      },
      settings: {
        oauthClient: {
          application_type: 'web',
          redirect_uris: ['https://app.example/cb'],
          response_types: ['code'],
          grant_types: ['authorization_code'],
          consent_method: 'TRUSTED',
          issuer_mode: 'DYNAMIC',
          idp_initiated_login: { mode: 'DISABLED', default_scope: [] },
          wildcard_redirect: 'DISABLED',
          dpop_bound_access_tokens: false,
          participate_slo: false,
        },
        manualProvisioning: false,
        implicitAssignment: false,
        notes: { admin: null, enduser: null },
        vpn: { connection: 'DISABLED', message: null, helpUrl: null },
      },
    });
  });

  test('null says the same as nothing', () => {
    const nulls = { accessibility: null, visibility: null, features: null, licensing: null, profile: null } as const;
    const given = input(
      { tos_uri: null, response_types: null, application_type: null, refresh_token: null },
      {},
      nulls,
    );
    expect(readDocument(given, SVC)).toEqual(readDocument(input({}), SVC));
  });

  test.each([
    [['authorization_code'], ['code']],
    [['implicit'], ['id_token', 'token']],
    [
      ['authorization_code', 'implicit'],
      ['code', 'id_token', 'token'],
    ],
    [['client_credentials'], ['token']],
    [['password'], []],
  ])('response types of %j are %j', (grantTypes, responseTypes) => {
    expect(readDocument(input({ grant_types: grantTypes }), SVC).settings.oauthClient.response_types).toEqual(
      responseTypes,
    );
  });

  test('rotation of refresh tokens: browsers rotate', () => {
    const read = (type: 'web' | 'browser', given: Partial<Settings> = {}) =>
      readDocument(
        input({ application_type: type, grant_types: ['authorization_code', 'refresh_token'], ...given }),
        SVC,
      ).settings.oauthClient.refresh_token;
    expect(read('web')).toEqual({ rotation_type: 'STATIC', leeway: 30 });
    expect(read('browser')).toEqual({ rotation_type: 'ROTATE', leeway: 30 });
    expect(read('web', { refresh_token: { rotation_type: 'ROTATE', leeway: 0 } })).toEqual({
      rotation_type: 'ROTATE',
      leeway: 0,
    });
  });
});

describe('refusals', () => {
  test.each<[string, ClientInput]>([
    ['settings.oauthClient.grant_types', input({ grant_types: [] })],
    ['settings.oauthClient.grant_types', input({ grant_types: ['authorization_code', 'magic'] })],
    ['settings.oauthClient.grant_types', input({ grant_types: ['otp'] })],
    ['settings.oauthClient.grant_types', input({ grant_types: ['urn:other:params:oauth:grant-type:otp'] })],
    ['settings.oauthClient.grant_types', service({ grant_types: ['authorization_code'] })],
    ['settings.oauthClient.grant_types', input({ application_type: 'native', grant_types: ['client_credentials'] })],
    ['settings.oauthClient.grant_types', input({ application_type: 'browser', grant_types: ['client_credentials'] })],
    ['settings.oauthClient.grant_types', input({ application_type: 'browser', grant_types: ['password'] })],
    [
      'settings.oauthClient.grant_types',
      input({ grant_types: ['client_credentials'] }, { token_endpoint_auth_method: 'none' }),
    ],
    ['settings.oauthClient.response_types', input({ response_types: ['token'] })],
    ['settings.oauthClient.response_types', input({ grant_types: ['implicit'], response_types: ['code'] })],
    ['settings.oauthClient.response_types', input({ response_types: ['code', 'token'] })],
    ['settings.oauthClient.response_types', input({ response_types: ['code', 'id_token'] })],
    ['settings.oauthClient.response_types', service({ response_types: ['code'] })],
    [
      'settings.oauthClient.dpop_bound_access_tokens',
      input({ grant_types: ['implicit'], dpop_bound_access_tokens: true }),
    ],
    [
      'settings.oauthClient.redirect_uris',
      input({ application_type: 'native', redirect_uris: ['http://app.example/cb'] }),
    ],
    ['settings.oauthClient.redirect_uris', input({ redirect_uris: [] })],
    ['settings.oauthClient.redirect_uris', input({ redirect_uris: null })],
    ['settings.oauthClient.redirect_uris', input({ redirect_uris: ['https://a.example/#x'] })],
    ['settings.oauthClient.redirect_uris', input({ redirect_uris: ['https://*.a.example/'] })],
    ['settings.oauthClient.post_logout_redirect_uris', input({ post_logout_redirect_uris: ['javascript:x'] })],
    ['settings.oauthClient.tos_uri', input({ tos_uri: 'javascript:alert(1)' })],
    ['settings.oauthClient.policy_uri', input({ policy_uri: 'terms' })],
    ['settings.oauthClient.logo_uri', input({ logo_uri: 'data:image/png;base64,x' })],
    ['settings.oauthClient.jwks_uri', input({ jwks_uri: 'http://a.example/keys' })],
    ['settings.oauthClient.initiate_login_uri', input({ idp_initiated_login: { mode: 'SPEC' } })],
    ['settings.oauthClient.idp_initiated_login.mode', input({ idp_initiated_login: { mode: 'OTHER' } })],
    ['settings.oauthClient.participate_slo', input({ application_type: 'native', participate_slo: true })],
    ['credentials.oauthClient.token_endpoint_auth_method', service({}, { token_endpoint_auth_method: 'none' })],
    ['credentials.oauthClient.pkce_required', input({ application_type: 'native' }, { pkce_required: false })],
    ['settings.oauthClient', { signOnMode: 'OPENID_CONNECT', label: 'App' }],
    ['settings.oauthClient', { signOnMode: 'OPENID_CONNECT', label: 'App', settings: {} }],
    ['accessibility.errorRedirectUrl', input({}, {}, { accessibility: { errorRedirectUrl: 'javascript:x' } })],
    [
      'settings.notifications.vpn.helpUrl',
      input({}, {}, { settings: { ...input({}).settings, notifications: { vpn: { helpUrl: 'help' } } } }),
    ],
  ])('%s', (field, given) => expect(refusal(given)).toBe(field));

  test.each(APPLICATION_TYPES.filter((type) => type !== 'web'))('a web app cannot become %s', (type) => {
    const given = type === 'service' ? service() : input({ application_type: type });
    expect(refusal(given, input({}))).toBe('settings.oauthClient.application_type');
  });

  test('a client may not stop authenticating while it has client_credentials', () => {
    const before = input({ grant_types: ['authorization_code', 'client_credentials'] });
    const after = { signOnMode: 'OPENID_CONNECT', label: 'App' } as const;
    const credentials = { oauthClient: { token_endpoint_auth_method: 'none' } } as const;
    expect(refusal({ ...after, credentials }, before)).toBe('settings.oauthClient.grant_types');
  });

  test('labels, names and client ids', () => {
    for (const label of ['', '  ', 'x'.repeat(256)]) expect(refusedField(() => readLabel(label))).toBe('label');
    expect(readLabel('  My App ')).toBe('My App');
    expect(refusedField(() => kindOf('OPENID_CONNECT', 'bookmark'))).toBe('name');
    for (const name of [undefined, null, 'oidc_client']) expect(kindOf('OPENID_CONNECT', name).title).toMatch('OpenID');
    expect(refusedField(() => assertSameMode(input({}), 'BOOKMARK'))).toBe('signOnMode');
    const chosen = input({}, { client_id: 'billing' });
    const field = 'credentials.oauthClient.client_id';
    expect(refusedField(() => assertSameClientId(chosen, { clientId: 'shipping' }))).toBe(field);
    expect(refusedField(() => assertSameClientId(chosen, { clientId: 'billing' }))).toBeNull();
    expect(refusedField(() => assertSameClientId(input({}), { clientId: 'billing' }))).toBeNull();
  });
});

test('every fault has a cause of its own', () => {
  const uris = ['https://a.example/#x', 'javascript:x', 'https://a.example/cb'];
  const given = input(
    { redirect_uris: uris, tos_uri: 'terms', participate_slo: true, application_type: 'native' },
    {},
    { accessibility: { errorRedirectUrl: 'error', loginRedirectUrl: 'login' } },
  );
  let causes: readonly string[] = [];
  try {
    readDocument(given);
  } catch (error) {
    causes = error instanceof ApiError ? error.causes.map(({ errorSummary }) => errorSummary) : [];
  }
  expect(causes.map((cause) => cause.split(': ')[0])).toEqual([
    'accessibility.errorRedirectUrl',
    'accessibility.loginRedirectUrl',
    'settings.oauthClient.tos_uri',
    'settings.oauthClient.redirect_uris',
    'settings.oauthClient.redirect_uris',
    'settings.oauthClient.participate_slo',
  ]);
});

test('the namespace word stands on the wire only', () => {
  for (const word of ['svc', 'other']) {
    const namespace = namespaceOf(word);
    const grantTypes = ['authorization_code', `urn:${word}:params:oauth:grant-type:otp`];
    const idpLogin = { mode: word.toUpperCase(), default_scope: ['openid'] };
    const given = input({
      grant_types: grantTypes,
      idp_initiated_login: idpLogin,
      initiate_login_uri: 'https://app.example/login',
    });
    const { oauthClient } = readDocument(given, namespace).settings;
    expect(JSON.stringify(oauthClient).toLowerCase()).not.toContain(word);
    expect(oauthClient.grant_types.map((grantType) => wireGrantType(grantType, namespace))).toEqual(grantTypes);
    expect(wireLoginMode(oauthClient.idp_initiated_login.mode, namespace)).toBe(word.toUpperCase());
  }
});

test.each([
  ['client_secret_basic', true],
  ['client_secret_post', true],
  ['client_secret_jwt', true],
  ['private_key_jwt', false],
  ['none', false],
] as const)('%s takes a secret: %s', (method, takes) => {
  expect(takesSecret(readDocument(input({}, { token_endpoint_auth_method: method }), SVC))).toBe(takes);
});

test('the lifecycle', () => {
  expect(appLifecycle.linkedFrom('ACTIVE')).toEqual(['deactivate']);
  expect(appLifecycle.linkedFrom('INACTIVE')).toEqual(['activate', 'delete']);
  expect(appLifecycle.transition('activate').to).toEqual(['ACTIVE']);
  expect(appLifecycle.transition('deactivate').to).toEqual(['INACTIVE']);
});
