import { describe, expect, test } from 'vitest';
import { namespaceOf } from '../../kernel/words/namespace.ts';
import type { AppInput } from './contract.ts';
import { type AppDocument, type ClientDocument, isClientDocument } from './documents/document-contract.ts';
import { givenPassword, readDocument, sharesPassword } from './documents/document-rules.ts';
import { kindOf } from './modes/kind-rules.ts';

const read = (input: AppInput, before?: AppDocument, now = '2026-01-01T00:00:00.000Z'): AppDocument =>
  readDocument(
    kindOf(input.signOnMode, before === undefined ? input.name : null),
    input,
    { namespace: namespaceOf('svc'), baseUrl: 'https://acme.example', now, httpRedirectUris: 'refused' },
    before,
  );

const oauthClient = { grant_types: ['authorization_code', 'refresh_token'], redirect_uris: ['https://app.example/cb'] };
const client = { signOnMode: 'OPENID_CONNECT', label: 'App', settings: { oauthClient } } as const;

function clientOf(document: AppDocument) {
  if (!isClientDocument(document)) throw new Error('not the document of a client');
  return document;
}

describe('of a client', () => {
  const before = clientOf(
    read({
      ...client,
      settings: {
        oauthClient: {
          ...oauthClient,
          tos_uri: 'https://app.example/terms',
          consent_method: 'REQUIRED',
          refresh_token: { rotation_type: 'ROTATE', leeway: 5 },
        },
      },
      credentials: {
        oauthClient: { token_endpoint_auth_method: 'private_key_jwt', pkce_required: true, autoKeyRotation: false },
      },
      visibility: { hide: { web: true } },
      profile: { owner: 'ada' },
      licensing: { seatCount: 3 },
    }),
  );

  test('settings that are left out fall back, credentials and rotation stay', () => {
    const after = clientOf(read(client, before));
    expect(after.settings.oauthClient).not.toHaveProperty('tos_uri');
    expect(after.settings.oauthClient).toMatchObject({
      consent_method: 'TRUSTED',
      refresh_token: { rotation_type: 'ROTATE', leeway: 5 },
    });
    expect(after.credentials).toEqual(before.credentials);
    expect(after.visibility.hide).toEqual({ iOS: true, web: true });
    expect(after).not.toHaveProperty('profile');
    expect(after).not.toHaveProperty('licensing');
  });

  test('a client of before the defaults of today stays where it was shown, and keeps its issuer mode', () => {
    const { visibility, settings } = before;
    const stored: ClientDocument = {
      ...before,
      visibility: { ...visibility, hide: { iOS: false, web: false } },
      settings: { ...settings, oauthClient: { ...settings.oauthClient, issuer_mode: 'ORG_URL' } },
    };
    const after = clientOf(read(client, stored));
    expect(after.visibility.hide).toEqual({ iOS: false, web: false });
    expect(after.settings.oauthClient.issuer_mode).toBe('ORG_URL');
    expect(clientOf(read({ ...client, visibility: { hide: { web: true } } }, stored)).visibility.hide).toEqual({
      iOS: false,
      web: true,
    });
  });

  test('a body of label and mode alone keeps settings and credentials', () => {
    const { settings, credentials } = read({ signOnMode: 'OPENID_CONNECT', label: 'B' }, before);
    expect({ settings, credentials }).toEqual({ settings: before.settings, credentials: before.credentials });
  });

  test('a public client gets PKCE although it went without', () => {
    const credentials = { oauthClient: { token_endpoint_auth_method: 'none' } } as const;
    const after = clientOf(read({ ...client, credentials }, read(client)));
    expect(after.credentials.oauthClient.pkce_required).toBe(true);
  });
});

describe('of any other kind', () => {
  const basic: AppInput = {
    signOnMode: 'BASIC_AUTH',
    label: 'Basic',
    settings: { app: { url: 'https://app.example', authURL: 'https://app.example/auth' } },
  };
  const shared = { scheme: 'SHARED_USERNAME_AND_PASSWORD', userName: 'crew' };
  const secret = { ...shared, password: { value: 'hunter2' } };
  const first = read({ ...basic, credentials: secret });

  test('the document holds when the shared password was set, and not the password', () => {
    expect(sharesPassword(first)).toBe(true);
    expect(JSON.stringify(first)).not.toContain('hunter2');
    expect(givenPassword(kindOf('BASIC_AUTH', null), { ...basic, credentials: secret })).toBe('hunter2');
    expect(read({ ...basic, credentials: shared }, first, 'later').credentials).toEqual(first.credentials);
    expect(read({ ...basic, credentials: secret }, first, 'later').credentials).toMatchObject({
      passwordSetAt: 'later',
    });
    expect(sharesPassword(read(basic, first))).toBe(false);
  });

  test('the key that signs stays, as do the name and its launch link', () => {
    const saml: AppInput = {
      signOnMode: 'SAML_2_0',
      label: 'SAML',
      settings: { signOn: { ssoAcsUrl: 'https://sp.example', audience: 'urn:sp' } },
    };
    const made = read(saml);
    if (isClientDocument(made)) throw new Error('the document of a client');
    const signing = { kid: 'abc' };
    const stored: AppDocument = { ...made, name: 'acme_saml_1', credentials: { ...made.credentials, signing } };
    const after = read({ ...saml, name: 'other' }, stored);
    expect(after).toMatchObject({ name: 'acme_saml_1', credentials: { signing } });
    expect(after.visibility.appLinks).toEqual({ acme_saml_1_link: true });
  });
});
