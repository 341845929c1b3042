import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createApp } from '../support/apps.ts';
import { newOidcProvider } from '../support/identity-providers.ts';
import { trustProxy } from '../support/org-settings.ts';
import { createRule, defaultPolicyPath, newRoutingRule } from '../support/policies.ts';
import { createProvider, createSamlProvider, newSocialProvider, PROVIDERS } from '../support/provider-requests.ts';
import { startTestService, type TestOrg } from '../support/service.ts';
import { spyOnStatements } from '../support/spy-on-statements.ts';
import { useService } from '../support/use-service.ts';

const ISSUER = 'http://openid.net/specs/connect/1.0/issuer';

const { service, org } = useService({ isShared: false });
let policy: string;

beforeAll(async () => {
  policy = await defaultPolicyPath(org, 'IDP_DISCOVERY');
});

const discover = (query: string, headers: Readonly<Record<string, string>> = {}, of: TestOrg = org) =>
  of.anonymous.get(`/.well-known/webfinger?${query}`, { headers });
const links = async (login: string, rel = '', headers = {}) =>
  (await discover(`resource=svc:acct:${login}${rel}`, headers)).body.links;

/** A provider that is null stands for the org itself. */
async function route(suffix: string, providers: readonly (string | null)[], network = {}): Promise<string> {
  const actions = {
    idp: { providers: providers.map((id) => (id === null ? { type: 'SVC' } : { id })), idpSelectionType: 'SPECIFIC' },
  };
  const conditions = { userIdentifier: { patterns: [{ matchType: 'SUFFIX', value: suffix }] }, ...network };
  return (await createRule(org, policy, newRoutingRule({ conditions, actions }))).id;
}

describe('entries', () => {
  test.each([
    ['SAML2', () => createSamlProvider(org)],
    ['OIDC', () => createProvider(org)],
    ['GITHUB', () => createProvider(org, newSocialProvider('GITHUB', 'OAUTH2'))],
    [
      'SVC_INTEGRATION',
      () => {
        const credentials = { client: { client_id: 'c' } };
        const protocol = { type: 'OIDC', svcIdpOrgUrl: 'https://other.example', credentials };
        return createProvider(org, newSocialProvider('SVC_INTEGRATION', 'OIDC', { protocol }));
      },
    ],
  ])('of the type %s', async (type, create) => {
    const { id, name } = await create();
    const domain = `${type.toLowerCase().replace('_', '-')}.example`;
    await route(domain, [id]);
    expect(await links(`ada@${domain}`)).toEqual([
      {
        rel: 'svc:idp',
        href: `${org.baseUrl}/sso/idps/${id}`,
        titles: { und: name },
        properties: {
          'svc:idp:metadata': `${org.baseUrl}/api/v1/idps/${id}/metadata.xml`,
          'svc:idp:type': type,
          'svc:idp:id': id,
        },
      },
    ]);
  });

  test('the metadata of a SAML provider is where the answer says', async () => {
    const { id } = await createSamlProvider(org);
    await route('metadata.example', [id]);
    const [link] = await links('ada@metadata.example');
    const { pathname } = new URL(link.properties['svc:idp:metadata']);
    expect((await org.anonymous.get(pathname)).text).toContain('<md:EntityDescriptor');
  });

  test('the org and a provider, in the order of the rule, as far as they are asked for', async () => {
    const { id, name } = await createProvider(org);
    await route('both.example', [null, id]);
    const titles = async (rel: string): Promise<string[]> =>
      (await links('ada@both.example', rel)).map((link: { titles: { und: string } }) => link.titles.und);
    expect(await titles('')).toEqual([org.subdomain, name]);
    expect(await titles('&rel=svc:idp')).toEqual([name]);
    expect(await titles(`&rel=${ISSUER}`)).toEqual([org.subdomain]);
    expect(await titles(`&rel=svc:idp&rel=${ISSUER}`)).toEqual([org.subdomain, name]);
  });

  test('the first provider that is active; without one, the next rule decides', async () => {
    const [first, second] = [await createProvider(org), await createProvider(org)];
    await route('rest.example', [first.id, second.id]);
    const ids = async () =>
      (await links('ada@rest.example')).map(
        (link: { properties: Record<string, string> }) => link.properties['svc:idp:id'],
      );
    expect(await ids()).toEqual([first.id, second.id]);
    await org.admin.post(`${PROVIDERS}/${first.id}/lifecycle/deactivate`);
    expect(await ids()).toEqual([second.id]);
    await org.admin.post(`${PROVIDERS}/${second.id}/lifecycle/deactivate`);
    expect(await ids()).toEqual([undefined]);
    await org.admin.post(`${PROVIDERS}/${first.id}/lifecycle/activate`);
    expect(await ids()).toEqual([first.id]);
  });

  test('a new name shows at once', async () => {
    const provider = await createProvider(org);
    await route('name.example', [provider.id]);
    await org.admin.put(`${PROVIDERS}/${provider.id}`, { body: newOidcProvider('another name') });
    expect(await links('ada@name.example')).toMatchObject([{ titles: { und: 'another name' } }]);
  });
});

describe('the resource', () => {
  test('comes back as it was sent; a scheme has no case', async () => {
    const { body } = await discover('resource=SVC:Acct:Ada%2B1@Both.Example');
    expect(body.subject).toBe('SVC:Acct:Ada+1@Both.Example');
  });

  test('of 1,000 characters is taken', async () => {
    expect(await discover(`resource=svc:acct:${'a'.repeat(1_000)}`)).toMatchObject({ status: 200 });
  });

  test.each(['okta:acct:ada', 'svc:acct', 'svc:account:ada', ':acct:ada', 'https://svc:acct:ada'])(
    '%s is none',
    async (resource) => {
      const { body, status } = await discover(`resource=${resource}`);
      expect(status).toBe(400);
      expect(body).toMatchObject({ errorCode: 'E0000001', errorSummary: 'Api validation failed: resource' });
    },
  );

  test('is told of in the words of the namespace', async () => {
    const other = await startTestService({ namespace: 'okta' });
    const answer = await discover('resource=okta:acct:ada&rel=okta:idp', {}, other.org);
    expect(answer).toMatchObject({ status: 200, body: { subject: 'okta:acct:ada', links: [] } });
    const own = await discover('resource=okta:acct:ada', {}, other.org);
    expect(own.body.links).toMatchObject([
      { href: `${other.org.baseUrl}/sso/idps/OKTA`, properties: { 'okta:idp:type': 'OKTA' } },
    ]);
    expect(await discover('resource=svc:acct:ada', {}, other.org)).toMatchObject({ status: 400 });
    await other.close();
  });
});

test('rules of zones follow the address that a trusted proxy names', async () => {
  const zone = { type: 'IP', name: 'office', gateways: [{ type: 'CIDR', value: '203.0.113.0/24' }] };
  const { body } = await org.admin.post('/api/v1/zones', { body: zone });
  const [inside, outside] = [await createProvider(org), await createProvider(org)];
  await route('zone.example', [inside.id], { network: { connection: 'ZONE', include: [body.id] } });
  await route('zone.example', [outside.id]);
  const chosen = async (forwarded: string) =>
    (await links('ada@zone.example', '', { 'x-forwarded-for': forwarded }))[0].properties['svc:idp:id'];
  expect(await chosen('203.0.113.7')).toBe(outside.id);
  await trustProxy(service, org, '127.0.0.0/8');
  expect(await chosen('203.0.113.7')).toBe(inside.id);
  expect(await chosen('198.51.100.7')).toBe(outside.id);
  await org.admin.post(`/api/v1/zones/${body.id}/lifecycle/deactivate`);
  expect(await chosen('203.0.113.7')).toBe(outside.id);
});

describe('the database', () => {
  const asked: string[] = [];
  const about = (tables: RegExp): string[] => asked.filter((text) => tables.test(text) && !text.includes('log_inputs'));

  beforeAll(() => {
    spyOnStatements(({ text }) => {
      asked.push(text);
      return null;
    });
  });
  afterAll(() => vi.restoreAllMocks());

  test('is asked once a second for rules, and never for a user', async () => {
    const { login } = (await org.createUser()).profile;
    const rules = /\b(policy_rules|identity_providers|network_zones)\b/;
    await links(login);
    asked.length = 0;
    for (const one of [login, 'nobody@nowhere.example', login]) await links(one);
    expect(about(rules)).toEqual([]);
    service.clock.advance(1_000);
    await links(login);
    // The query that loads the org does not count, because every request needs it.
    expect(about(rules).filter((text) => !text.includes('from orgs o'))).toHaveLength(3);
    expect(about(/\b(users|user_sign_in)\b/)).toEqual([]);
  });
});

test('each rule has its own event, with the provider that it chose', async () => {
  const fresh = await service.newOrg();
  const { id } = await createProvider(fresh);
  const actions = { idp: { providers: [{ id }], idpSelectionType: 'SPECIFIC' } };
  const conditions = { userIdentifier: { patterns: [{ matchType: 'SUFFIX', value: 'chosen.example' }] } };
  const rule = newRoutingRule({ name: 'chosen', conditions, actions });
  await createRule(fresh, await defaultPolicyPath(fresh, 'IDP_DISCOVERY'), rule);
  for (const login of ['a@chosen.example', 'b@chosen.example', 'a@other.example']) {
    await discover(`resource=svc:acct:${login}`, {}, fresh);
  }
  await service.application.routingEvents.flush(true);
  const events = await fresh.systemLog('eventType eq "system.idp.route"');
  const told = events.map(({ target, debugContext }) => [debugContext.debugData.count, target.at(-1)]);
  expect(told.toSorted(([one], [other]) => one - other)).toMatchObject([
    ['1', { type: expect.stringMatching(/Rule/), displayName: 'Default Rule' }],
    ['2', { type: 'IdentityProvider', id, alternateId: 'OIDC' }],
  ]);
  expect(JSON.stringify(events)).not.toContain('chosen.example');
});

/** An address that is published before its feature exists names the missing feature (ADR 0059). */
describe('what is not there yet', () => {
  const SAML = 'Signing in to apps with SAML is not available here yet.';
  const PROVIDER = 'Signing in with another identity provider is not available here yet.';
  const form = { headers: { 'content-type': 'application/x-www-form-urlencoded' }, raw: 'SAMLResponse=x' };
  const foreign = { ...form, headers: { ...form.headers, origin: 'https://idp.example' } };

  test.each([
    ['/app/acme_saml_1/exk1/sso/saml', SAML, true],
    ['/app/acme_saml_1/exk1/slo/saml', SAML, true],
    ['/app/acme_saml_1/0oa1/setup/help/SAML_2_0/instructions', SAML, false],
    ['/sso/saml2', PROVIDER, true],
    ['/sso/saml2/0oa1', PROVIDER, true],
    ['/oauth2/v1/authorize/callback', PROVIDER, true],
    ['/login/cert', 'Signing in with a certificate is not available here yet.', false],
  ])('%s says so to whoever opens it, and to what is sent there', async (path, text, takesForms) => {
    const missing = { status: 501, text: expect.stringContaining(text) };
    expect(await org.anonymous.get(path)).toMatchObject(missing);
    if (!takesForms) return;
    for (const sent of [form, foreign]) expect(await org.anonymous.post(path, sent)).toMatchObject(missing);
    expect(await org.anonymous.post(path, { ...form, raw: `a=${'x'.repeat(70_000)}` })).toMatchObject({ status: 413 });
  });

  test('a provider that WebFinger names: a page with its name, in the language of whoever looks', async () => {
    const { id, name } = await createProvider(org);
    const shown = await org.anonymous.get(`/sso/idps/${id}`);
    expect(shown).toMatchObject({ status: 501, text: expect.stringContaining(`<h1>Sign in with ${name}</h1>`) });
    expect(shown.text).toContain(PROVIDER);
    const { text } = await org.anonymous.get(`/sso/idps/${id}?ui_locales=de`);
    expect(text).toContain('Die Anmeldung über andere Identitätsanbieter ist hier noch nicht verfügbar.');
    const elsewhere = await createProvider(await service.newOrg());
    for (const unknown of [elsewhere.id, '0oa00000000000000000', 'OKTA']) {
      expect(await org.anonymous.get(`/sso/idps/${unknown}`)).toMatchObject({ status: 404 });
    }
  });

  test('the own entry leads to the sign-in page', async () => {
    const { headers, status } = await org.anonymous.get('/sso/idps/SVC');
    expect([status, headers['location']]).toEqual([303, '/signin']);
  });

  test('a provider of another protocol has no metadata, and says so', async () => {
    const { id } = await createProvider(org);
    expect(await org.anonymous.get(`${PROVIDERS}/${id}/metadata.xml`)).toMatchObject({
      status: 501,
      body: {
        errorCode: 'E0000060',
        errorCauses: [{ errorSummary: 'Only providers of the type SAML2 have metadata; this one is OIDC.' }],
      },
    });
  });

  test('nobody has signed in by a provider', async () => {
    const { id } = await createSamlProvider(org);
    expect(await org.admin.get(`${PROVIDERS}/${id}/users`)).toMatchObject({ status: 200, body: [] });
    expect(await org.admin.get(`${PROVIDERS}/0oa00000000000000000/users`)).toMatchObject({ status: 404 });
    expect(await (await org.withRoles('USER_ADMIN')).get(`${PROVIDERS}/${id}/users`)).toMatchObject({ status: 403 });
  });

  test('the link of the policies of an app asks for the id of one', async () => {
    const app = await createApp(org);
    const path = new URL(app._links.policies.href).pathname;
    expect(await org.admin.put(path)).toMatchObject({
      status: 400,
      body: { errorCauses: [{ errorSummary: 'policyId: must be at the end of the path.' }] },
    });
    expect(await org.admin.put('/api/v1/apps/0oa00000000000000000/policies')).toMatchObject({ status: 404 });
    expect(await (await org.withRoles()).put(path)).toMatchObject({ status: 403 });
  });
});
