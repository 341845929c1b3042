import { generateKeyPairSync } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { newOidcProvider } from '../support/identity-providers.ts';
import { invalidWith } from '../support/policies.ts';
import {
  certificateOf,
  createProviderKey,
  newSamlProvider,
  newSocialProvider,
  PROVIDER_KEYS,
  PROVIDERS,
} from '../support/provider-requests.ts';
import { useService } from '../support/use-service.ts';

type Given = Readonly<Record<string, unknown>>;

const { service, org } = useService();
let kid: string;

beforeAll(async () => {
  kid = await createProviderKey(org);
});

const create = (body: Given) => org.admin.post(PROVIDERS, { body });
/** A placeholder for the id of a key that is created only when the tests run. */
const KEY = '{kid}';
const sso = { url: 'https://idp.example/sso' };
const trust = { issuer: 'https://idp.example' };
const client = { client_id: 'c', client_secret: 's' };
const oidc = (protocol: Given): Given => {
  const body = newOidcProvider();
  return { ...body, protocol: { ...Object(body['protocol']), ...protocol } };
};

describe('of any provider', () => {
  test.each<[string, Given, string]>([
    ['no type', { type: undefined }, 'type'],
    ['an unknown type', { type: 'MYSPACE' }, 'type'],
    ['a type in its neutral spelling', { type: 'INTEGRATION' }, 'type'],
    ['a blank name', { name: '  ' }, 'name'],
    ['a name of 101 characters', { name: 'a'.repeat(101) }, '100'],
    ['an unknown status', { status: 'ASLEEP' }, 'status'],
    ['an unknown issuer mode', { issuerMode: 'ANY' }, 'issuerMode'],
    ['no protocol', { protocol: undefined }, 'protocol'],
    ['a negative clock skew', { policy: { maxClockSkew: -1 } }, 'maxClockSkew'],
    ['a clock skew of more than a day', { policy: { maxClockSkew: 86_400_001 } }, 'maxClockSkew'],
    ['half a millisecond', { policy: { maxClockSkew: 0.5 } }, 'maxClockSkew'],
    ['an unknown provisioning', { policy: { provisioning: { action: 'MAYBE' } } }, 'policy.provisioning.action'],
    ['groups of SAML', { policy: { provisioning: { groups: { action: 'SYNC' } } } }, 'NONE or ASSIGN'],
    ['an unknown account link', { policy: { accountLink: { action: 'ALWAYS' } } }, 'policy.accountLink.action'],
    ['an unknown match type', { policy: { subject: { matchType: 'NICKNAME' } } }, 'policy.subject.matchType'],
    ['a custom match without attribute', { policy: { subject: { matchType: 'CUSTOM_ATTRIBUTE' } } }, 'matchAttribute'],
    ['an attribute without custom match', { policy: { subject: { matchAttribute: 'x' } } }, 'matchAttribute'],
    ['a filter that is no expression', { policy: { subject: { filter: '(' } } }, 'regular expression'],
    ['a filter that looks ahead', { policy: { subject: { filter: '(?=a)a' } } }, 'RE2 syntax'],
    [
      'a filter of classes of all scripts',
      { policy: { subject: { filter: '[\\pL\\PL]{9}'.repeat(40) } } },
      'too complex',
    ],
    ['a filter of 501 characters', { policy: { subject: { filter: 'a'.repeat(501) } } }, '500 characters'],
    ['a short template', { policy: { subject: { userNameTemplate: { template: 'x' } } } }, 'template'],
  ])('%s', async (_, given, text) => {
    expect(await create({ ...newOidcProvider(), ...given })).toMatchObject(invalidWith(text));
  });

  test('a name of 100 characters is taken', async () => {
    expect(await create({ ...newOidcProvider(), name: 'ä'.repeat(100) })).toMatchObject({ status: 200 });
  });
});

describe('protocols', () => {
  test.each([
    ['SAML2', 'OIDC'],
    ['OIDC', 'SAML2'],
    ['OIDC', 'OAUTH2'],
    ['GOOGLE', 'SAML2'],
    ['X509', 'SAML2'],
    ['IDV_PERSONA', 'OIDC'],
    ['SVC_INTEGRATION', 'SAML2'],
    ['OIDC', 'LDAP'],
  ])('%s does not speak %s', async (type, protocol) => {
    expect(await create(newSocialProvider(type, protocol))).toMatchObject(invalidWith('protocol.type'));
  });
});

describe('addresses', () => {
  test.each([
    'http://idp.example/sso',
    'http://127.0.0.1.idp.example/sso',
    'ftp://idp.example/sso',
    'javascript:alert(1)',
    '//idp.example/sso',
    '/sso',
    'https:idp.example',
    'https:///idp.example',
    'https://user:password@idp.example/sso',
    'https://idp.example/sso#fragment',
    'https://idp.example/s so',
    'https://idp.example\\@other.example',
    'https://idp.example/"><script>',
    '',
    ' ',
  ])('%j is none that people are sent to', async (url) => {
    expect(await create(newSamlProvider(kid, {}, { endpoints: { sso: { url } } }))).toMatchObject(
      invalidWith('protocol.endpoints.sso.url'),
    );
    const endpoints = { ...Object(Object(newOidcProvider()['protocol']).endpoints), token: { url } };
    expect(await create(oidc({ endpoints }))).toMatchObject(invalidWith('protocol.endpoints.token.url'));
  });
});

describe('SAML', () => {
  const saml = (protocol: Given): Given =>
    JSON.parse(JSON.stringify(newSamlProvider(KEY, {}, protocol)).replaceAll(KEY, kid)) as Given;
  const credentials = (given: Given): Given => ({ credentials: { trust: { ...trust, kid: KEY, ...given } } });

  test.each<[string, Given, string]>([
    ['no address', { endpoints: {} }, 'protocol.endpoints.sso.url'],
    ['a destination over http', { endpoints: { sso: { ...sso, destination: 'http://x.example' } } }, 'destination'],
    ['an unknown binding', { endpoints: { sso: { ...sso, binding: 'SOAP' } } }, 'binding'],
    ['responses in a query', { endpoints: { sso, acs: { binding: 'HTTP-REDIRECT' } } }, 'acs.binding'],
    ['logout without its address', { settings: { participateSlo: true } }, 'protocol.endpoints.slo.url'],
    ['no issuer', credentials({ issuer: '' }), 'protocol.credentials.trust.issuer'],
    ['an issuer with blanks', credentials({ issuer: 'a b' }), 'blanks'],
    ['an audience with a line break', credentials({ audience: 'a\nb' }), 'blanks'],
    ['no key', credentials({ kid: null }), 'protocol.credentials.trust.kid'],
    ['a key that is not there', credentials({ kid: 'nobody' }), 'There is no key nobody.'],
    ['an additional key that is not there', credentials({ additionalKids: ['nobody'] }), 'There is no key nobody.'],
    ['two additional keys', credentials({ additionalKids: ['a', 'b'] }), 'additionalKids'],
    ['a weak algorithm', { algorithms: { response: { signature: { algorithm: 'MD5' } } } }, 'SHA-256 or SHA-1'],
    ['an unknown scope', { algorithms: { response: { signature: { scope: 'NONE' } } } }, 'scope'],
    ['an unknown name format', { settings: { nameFormat: 'email' } }, 'nameFormat'],
    ['a client secret', { credentials: { trust: { ...trust, kid: KEY }, client } }, 'client_secret'],
  ])('%s', async (_, protocol, text) => {
    expect(await create(saml(protocol))).toMatchObject(invalidWith(text));
  });

  test('the same key twice, one of another org, and one on a curve', async () => {
    expect(await create(saml(credentials({ additionalKids: [kid] })))).toMatchObject(invalidWith('another key'));
    const foreign = await createProviderKey(await service.newOrg());
    expect(await create(newSamlProvider(foreign))).toMatchObject(invalidWith('There is no key'));
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const curve = await org.admin.post(PROVIDER_KEYS, { body: { x5c: [certificateOf(publicKey)] } });
    expect(await create(newSamlProvider(curve.body.kid))).toMatchObject(invalidWith('must be RSA'));
    const cards = { type: 'MTLS', credentials: { trust: { issuer: 'CN=Cards', kid: curve.body.kid } } };
    expect(await create({ type: 'X509', name: 'cards', protocol: cards })).toMatchObject({ status: 200 });
  });
});

describe('OpenID Connect', () => {
  const url = 'https://idp.example/';
  const [authorization, token, jwks] = [{ url }, { url }, { url }];

  test.each<[string, Given, string]>([
    ['no authorization address', { endpoints: { token, jwks } }, 'protocol.endpoints.authorization.url'],
    ['no token address', { endpoints: { authorization, jwks } }, 'protocol.endpoints.token.url'],
    ['no key set', { endpoints: { authorization, token } }, 'protocol.endpoints.jwks.url'],
    ['no issuer', { issuer: null }, 'protocol.issuer.url'],
    ['an issuer with a query', { issuer: { url: `${url}?a` } }, 'query'],
    ['an issuer over http', { issuer: { url: 'http://idp.example' } }, 'https'],
    ['no scopes', { scopes: [] }, 'protocol.scopes'],
    ['scopes without openid', { scopes: ['email'] }, 'openid'],
    ['a scope with a blank', { scopes: ['openid', 'a b'] }, 'which is not a scope'],
    ['no client', { credentials: {} }, 'protocol.credentials.client.client_id'],
    ['a blank client id', { credentials: { client: { client_id: ' ' } } }, 'client_id'],
    ['a client id beyond ASCII', { credentials: { client: { client_id: 'ä' } } }, 'client_id'],
    [
      'an unknown authentication',
      { credentials: { client: { ...client, token_endpoint_auth_method: 'tls' } } },
      'auth',
    ],
    ['a key of another kind', { credentials: { client, signing: { privateKey: 'MIG' } } }, 'privateKey'],
    ['logout without its address', { settings: { participateSlo: true } }, 'protocol.endpoints.slo.url'],
  ])('%s', async (_, protocol, text) => {
    expect(await create(oidc(protocol))).toMatchObject(invalidWith(text));
  });
});

describe('the others', () => {
  test.each<[string, Given, string]>([
    ['social without scopes', newSocialProvider('GITHUB', 'OAUTH2', { protocol: { type: 'OAUTH2' } }), 'scopes'],
    [
      'social with a filter of names',
      newSocialProvider('GITHUB', 'OAUTH2', { policy: { subject: { filter: 'a' } } }),
      'policy.subject.filter',
    ],
    [
      'Apple with a client secret',
      newSocialProvider('APPLE', 'OIDC', {
        protocol: {
          type: 'OIDC',
          scopes: ['openid'],
          credentials: { client, signing: { kid: 'k', teamId: 't', privateKey: 'MIG' } },
        },
      }),
      'client_secret',
    ],
    [
      'a verifier without its secret',
      { type: 'IDV_CLEAR', name: 'n', protocol: { type: 'ID_PROOFING', credentials: { client: { client_id: 'c' } } } },
      'client_secret',
    ],
    [
      'Apple without a private key',
      newSocialProvider('APPLE', 'OIDC', {
        protocol: {
          type: 'OIDC',
          scopes: ['openid'],
          credentials: { client: { client_id: 'c' }, signing: { kid: 'k', teamId: 't' } },
        },
      }),
      'privateKey',
    ],
    [
      'another organization without its address',
      { type: 'SVC_INTEGRATION', name: 'n', protocol: { type: 'OIDC', credentials: { client } } },
      'protocol.svcIdpOrgUrl',
    ],
    [
      'smart cards that make users',
      {
        type: 'X509',
        name: 'n',
        protocol: { type: 'MTLS', credentials: { trust: { issuer: 'CN=a', kid: 'x' } } },
        policy: { provisioning: { action: 'AUTO' } },
      },
      'must be DISABLED',
    ],
    [
      'Persona without its template',
      { type: 'IDV_PERSONA', name: 'n', protocol: { type: 'ID_PROOFING', credentials: { bearer: { apiKey: 'k' } } } },
      'inquiryTemplateId',
    ],
    [
      'Persona without its key',
      {
        type: 'IDV_PERSONA',
        name: 'n',
        protocol: { type: 'ID_PROOFING' },
        properties: { inquiryTemplateId: 'itmpl_1' },
      },
      'apiKey',
    ],
    [
      'a verifier with half of its addresses',
      {
        type: 'IDV_CLEAR',
        name: 'n',
        protocol: { type: 'ID_PROOFING', endpoints: { par: sso }, credentials: { client } },
      },
      'protocol.endpoints.authorization.url',
    ],
  ])('%s', async (_, body, text) => {
    expect(await create(body)).toMatchObject(invalidWith(text));
  });
});

test('past 1,000 of them', async () => {
  const full = await service.newOrg();
  await service.database.pool.query(
    `insert into identity_providers (org_id, id, type, name, status, document, created_at, last_updated_at)
     select $1, '0oa' || n, 'OIDC', 'provider ' || n, 'INACTIVE', '{}', now(), now() from generate_series(1, 1000) n`,
    [full.id],
  );
  expect(await full.admin.post(PROVIDERS, { body: newOidcProvider() })).toMatchObject(invalidWith('at most 1000'));
});
