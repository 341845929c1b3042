import { describe, expect, test } from 'vitest';
import { newOidcProvider } from '../support/identity-providers.ts';
import { invalidWith } from '../support/policies.ts';
import {
  createProvider,
  createProviderKey,
  newSamlProvider,
  newSocialProvider,
  PROVIDERS,
} from '../support/provider-requests.ts';
import { useService } from '../support/use-service.ts';

const { service, org } = useService();

const SECRET = 'a secret of the provider';
const POLICY_DEFAULTS = {
  provisioning: {
    action: 'AUTO',
    profileMaster: false,
    groups: { action: 'NONE' },
    conditions: { deprovisioned: { action: 'NONE' }, suspended: { action: 'NONE' } },
  },
  accountLink: { filter: null, action: 'AUTO' },
  subject: {
    userNameTemplate: { template: 'idpuser.email' },
    filter: null,
    matchType: 'USERNAME',
    matchAttribute: null,
  },
  maxClockSkew: 0,
  transformedUsernameMatchingEnabled: false,
};

describe('create', () => {
  test('a SAML provider has the defaults and links of the recordings, and its creation is logged', async () => {
    const own = await service.newOrg();
    const kid = await createProviderKey(own);
    const body = newSamlProvider(kid);
    const made = await createProvider(own, body);
    const address = `${own.baseUrl}${PROVIDERS}/${made.id}`;
    const link = (href: string, method: string) => ({ href, hints: { allow: [method] } });
    expect(made).toEqual({
      id: expect.stringMatching(/^0oa[0-9A-Za-z]{17}$/),
      name: body['name'],
      type: 'SAML2',
      status: 'ACTIVE',
      created: expect.stringMatching(/\.000Z$/),
      lastUpdated: made.created,
      protocol: {
        type: 'SAML2',
        endpoints: {
          sso: { url: 'https://idp.example/sso', binding: 'HTTP-POST', destination: 'https://idp.example/sso' },
          acs: { binding: 'HTTP-POST', type: 'INSTANCE' },
        },
        algorithms: {
          request: { signature: { algorithm: 'SHA-256', scope: 'REQUEST' } },
          response: { signature: { algorithm: 'SHA-256', scope: 'ANY' } },
        },
        settings: {
          nameFormat: 'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified',
          honorPersistentNameId: true,
        },
        credentials: {
          trust: {
            issuer: 'https://idp.example',
            audience: expect.stringMatching(`^${own.baseUrl}/saml2/service-provider/sp[0-9a-z]{18}$`),
            kid,
            revocation: null,
            revocationCacheLifetime: 0,
          },
        },
      },
      policy: { ...POLICY_DEFAULTS, trustClaims: false },
      _links: {
        metadata: { ...link(`${address}/metadata.xml`, 'GET'), type: 'application/xml' },
        acs: { ...link(`${own.baseUrl}/sso/saml2/${made.id}`, 'POST'), type: 'application/xml' },
        users: link(`${address}/users`, 'GET'),
        keys: link(`${own.baseUrl}${PROVIDERS}/credentials/keys/${kid}`, 'GET'),
        deactivate: link(`${address}/lifecycle/deactivate`, 'POST'),
      },
    });
    expect((await own.admin.get(`${PROVIDERS}/${made.id}`)).body).toEqual(made);
    expect(await own.systemLog('eventType eq "system.idp.lifecycle.create"')).toMatchObject([
      { target: [{ id: made.id, type: 'IdentityProvider', alternateId: 'SAML2', displayName: body['name'] }] },
    ]);
  });

  test('an OIDC provider', async () => {
    const made = await createProvider(org, newOidcProvider());
    expect(made).toMatchObject({
      issuerMode: 'DYNAMIC',
      protocol: {
        endpoints: { jwks: { url: 'https://idp.example/keys', binding: 'HTTP-REDIRECT' } },
        settings: { nameFormat: null },
        issuer: { url: 'https://idp.example' },
        scopes: ['openid', 'email'],
        credentials: { client: { client_id: 'gatehouse', client_secret: SECRET } },
      },
      policy: { ...POLICY_DEFAULTS, trustClaims: false },
      _links: {
        authorize: {
          href: expect.stringContaining(`${org.baseUrl}/oauth2/v1/authorize?idp=${made.id}&client_id={clientId}&`),
          templated: true,
          hints: { allow: ['GET'] },
        },
        clientRedirectUri: { href: `${org.baseUrl}/oauth2/v1/authorize/callback`, hints: { allow: ['POST'] } },
      },
    });
    expect(Object.keys(made._links)).toHaveLength(2);
  });

  test.each([
    ['FACEBOOK', 'https://www.facebook.com/dialog/oauth', 'https://graph.facebook.com/v2.8/oauth/access_token'],
    ['GOOGLE', 'https://accounts.google.com/o/oauth2/auth', 'https://www.googleapis.com/oauth2/v3/token'],
    [
      'MICROSOFT',
      'https://login.microsoftonline.com/common/oauth2/v2.0/authorize',
      'https://login.microsoftonline.com/common/oauth2/v2.0/token',
    ],
  ])('%s is reached where the recordings say', async (type, authorization, token) => {
    const made = await createProvider(org, newSocialProvider(type, 'OAUTH2', { issuerMode: 'ORG_URL' }));
    expect(made).toMatchObject({ type, issuerMode: 'ORG_URL', policy: POLICY_DEFAULTS });
    expect(made.policy).not.toHaveProperty('trustClaims');
    expect(made.protocol).toEqual({
      type: 'OAUTH2',
      endpoints: {
        authorization: { url: authorization, binding: 'HTTP-REDIRECT' },
        token: { url: token, binding: 'HTTP-POST' },
      },
      scopes: ['openid', 'email'],
      credentials: { client: { client_id: 'gatehouse', client_secret: SECRET } },
    });
  });

  test.each(
    [
      'AMAZON APPLE DISCORD GITHUB GITLAB LINKEDIN LOGINGOV LOGINGOV_SANDBOX PAYPAL PAYPAL_SANDBOX',
      'SALESFORCE SPOTIFY XERO YAHOO YAHOOJP',
    ].flatMap((line) => line.split(' ')),
  )('%s', async (type) => {
    const apple = {
      type: 'OIDC',
      scopes: ['openid'],
      credentials: { client: { client_id: 'c' }, signing: { kid: 'k', teamId: 't', privateKey: 'MIGTAgEAMBM\nabc' } },
    };
    const made = await createProvider(
      org,
      newSocialProvider(type, 'OIDC', type === 'APPLE' ? { protocol: apple } : {}),
    );
    expect(made.protocol.endpoints.authorization.url).toMatch(/^https:\/\//);
    expect(made.protocol.endpoints.token.url).toMatch(/^https:\/\//);
    expect(JSON.stringify(made)).not.toContain('MIGTAgEAMBM');
  });

  test('another organization of this kind, smart cards, and services that verify people', async () => {
    const client = { client_id: 'c', client_secret: 's' };
    const other = await createProvider(org, {
      type: 'SVC_INTEGRATION',
      name: 'another org',
      protocol: { type: 'OIDC', svcIdpOrgUrl: 'https://other.example/', credentials: { client } },
    });
    expect(other).toMatchObject({
      type: 'SVC_INTEGRATION',
      protocol: {
        svcIdpOrgUrl: 'https://other.example',
        issuer: { url: 'https://other.example' },
        endpoints: { token: { url: 'https://other.example/oauth2/v1/token' } },
        scopes: ['openid', 'email', 'profile'],
      },
    });
    const trust = { issuer: 'CN=Cards', kid: await createProviderKey(org), revocation: 'CRL' };
    const cards = await createProvider(org, {
      type: 'X509',
      name: 'cards',
      protocol: { type: 'MTLS', credentials: { trust } },
      policy: { subject: { userNameTemplate: { template: 'idpuser.subjectAltNameEmail' }, matchAttribute: '' } },
      properties: { additionalAmr: ['sc', 'pin'], inquiryTemplateId: 'none' },
    });
    expect(cards).toMatchObject({
      protocol: { credentials: { trust: { ...trust, audience: null } } },
      policy: { provisioning: { action: 'DISABLED' } },
      properties: { additionalAmr: ['sc', 'pin'] },
      _links: { keys: {}, deactivate: {} },
    });
    const persona = await createProvider(org, {
      type: 'IDV_PERSONA',
      name: 'persona',
      protocol: { type: 'ID_PROOFING', credentials: { bearer: { apiKey: 'a-key-of-persona' } } },
      properties: { inquiryTemplateId: 'itmpl_1' },
    });
    expect(JSON.stringify(persona)).not.toContain('a-key-of-persona');
    const url = 'https://idv.example/';
    const verifier = await createProvider(org, {
      type: 'IDV_STANDARD',
      name: 'verifier',
      protocol: {
        type: 'ID_PROOFING',
        endpoints: { par: { url }, authorization: { url }, token: { url }, jwks: { url } },
        scopes: ['openid'],
        credentials: { client },
      },
      properties: { idvMetadata: { vendorDisplayName: 'V', termsOfUse: url }, inquiryTemplateId: 'none' },
    });
    expect(verifier).toMatchObject({
      protocol: { endpoints: { par: { url, binding: 'HTTP-POST' } }, credentials: { client } },
      properties: { idvMetadata: { vendorDisplayName: 'V', termsOfUse: url } },
    });
  });

  test('everything the contract has is kept whole', async () => {
    const given = {
      status: 'INACTIVE',
      policy: {
        provisioning: {
          action: 'DISABLED',
          profileMaster: true,
          groups: { action: 'SYNC', filter: ['00g1'], sourceAttributeName: 'Groups' },
          conditions: { deprovisioned: { action: 'REACTIVATE' }, suspended: { action: 'UNSUSPEND' } },
        },
        accountLink: {
          action: 'DISABLED',
          filter: { groups: { include: ['00g2'] }, users: { exclude: ['00u1'], excludeAdmins: true } },
        },
        subject: {
          userNameTemplate: { template: 'idpuser.subjectNameId' },
          filter: '(\\S+@example\\.com)',
          matchType: 'CUSTOM_ATTRIBUTE',
          matchAttribute: 'employeeNumber',
        },
        maxClockSkew: 120_000,
        trustClaims: true,
        mapAMRClaims: true,
      },
    };
    const [kid, second] = [await createProviderKey(org), await createProviderKey(org)];
    const protocol = {
      endpoints: {
        sso: { url: 'https://idp.example/sso', binding: 'HTTP-REDIRECT', destination: 'https://idp.example/to' },
        slo: { url: 'https://idp.example/slo', binding: 'HTTP-POST' },
        acs: { binding: 'HTTP-POST', type: 'ORG' },
      },
      algorithms: {
        request: { signature: { algorithm: 'SHA-1', scope: 'NONE' }, digest: 'SHA-1' },
        response: { signature: { algorithm: 'SHA-256', scope: 'TOKEN' } },
      },
      relayState: { format: 'FROM_URL' },
      settings: {
        nameFormat: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
        honorPersistentNameId: false,
        participateSlo: true,
        sendApplicationContext: true,
      },
      credentials: { trust: { issuer: 'urn:idp', audience: 'urn:us', kid, additionalKids: [second] } },
    };
    const made = await createProvider(org, newSamlProvider(kid, given, protocol));
    expect(made).toMatchObject({ ...given, protocol });
    expect(made._links).toHaveProperty('activate');
    expect(made._links.acs.href).toBe(`${org.baseUrl}/sso/saml2`);
  });

  test('algorithms of SAML, which clients send to OIDC providers too, are left out', async () => {
    const withAlgorithm = (algorithm: string) => {
      const body = newOidcProvider();
      return {
        ...body,
        protocol: { ...Object(body['protocol']), algorithms: { request: { signature: { algorithm } } } },
      };
    };
    expect((await createProvider(org, withAlgorithm('SHA-256'))).protocol).not.toHaveProperty('algorithms');
    expect((await createProvider(org, withAlgorithm('HS256'))).protocol.algorithms).toEqual({
      request: { signature: { algorithm: 'HS256', scope: 'REQUEST' } },
    });
    expect(await org.admin.post(PROVIDERS, { body: withAlgorithm('none') })).toMatchObject({ status: 400 });
  });

  test('a name is one per org, also when asked for at once, and free in another', async () => {
    const other = await service.newOrg();
    const body = newOidcProvider();
    const answers = await Promise.all([1, 2, 3].map(() => org.admin.post(PROVIDERS, { body })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400, 400]);
    expect(await org.admin.post(PROVIDERS, { body })).toMatchObject(invalidWith('already exists'));
    await createProvider(other, body);
  });

  test('a repeated Idempotency-Key makes one', async () => {
    const options = { body: newOidcProvider(), headers: { 'idempotency-key': 'create-idp-1' } };
    const [first, second] = [await org.admin.post(PROVIDERS, options), await org.admin.post(PROVIDERS, options)];
    expect(second).toMatchObject({ status: 200, body: first.body });
  });
});
