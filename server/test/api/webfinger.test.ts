import { beforeAll, describe, expect, test } from 'vitest';
import type { TestResponse } from '../support/client.ts';
import { newOidcProvider } from '../support/identity-providers.ts';
import { createRule, defaultPolicyPath, newRoutingRule } from '../support/policies.ts';
import type { TestOrg } from '../support/service.ts';
import { useService } from '../support/use-service.ts';

const ISSUER = 'http://openid.net/specs/connect/1.0/issuer';

const { service, org } = useService();
const providers: Record<string, string> = {};

const webfinger = (login: string, rel: readonly string[] = [], of: TestOrg = org, headers = {}) => {
  const query = [`resource=svc:acct:${encodeURIComponent(login)}`, ...rel.map((value) => `rel=${value}`)].join('&');
  return of.anonymous.get(`/.well-known/webfinger?${query}`, { headers });
};

/** Returns the names of the providers in a response. `own` is the org itself. */
const chosenIn = ({ body }: TestResponse): string[] =>
  body.links.map(({ rel, titles }: { rel: string; titles: { und: string } }) => (rel === ISSUER ? 'own' : titles.und));

async function createProvider(name: string): Promise<string> {
  const { body, status } = await org.admin.post('/api/v1/idps', { body: newOidcProvider(name) });
  expect(status).toBe(200);
  providers[name] = body.id;
  return body.id;
}

async function route(name: string, conditions: Readonly<Record<string, unknown>>, given = {}): Promise<string> {
  const id = await createProvider(name);
  const actions = { idp: { providers: [{ id, type: 'OIDC' }], idpSelectionType: 'SPECIFIC' } };
  const body = newRoutingRule({ name, conditions, actions, ...given });
  return (await createRule(org, await defaultPolicyPath(org, 'IDP_DISCOVERY'), body)).id;
}

const identifier = (matchType: string, value: string) => ({
  userIdentifier: { type: 'IDENTIFIER', patterns: [{ matchType, value }] },
});

beforeAll(async () => {
  const zone = (name: string, value: string) =>
    org.admin.post('/api/v1/zones', { body: { type: 'IP', name, gateways: [{ type: 'CIDR', value }] } });
  const [here, elsewhere] = [await zone('here', '127.0.0.0/8'), await zone('elsewhere', '203.0.113.0/24')];
  const inZone = (response: TestResponse) => ({ network: { connection: 'ZONE', include: [response.body.id] } });
  await route('equals', identifier('EQUALS', 'Chief@Equals.example'));
  await route('starts', identifier('STARTS_WITH', 'svc-'));
  await route('contains', identifier('CONTAINS', '+robot'));
  await route('suffix', identifier('SUFFIX', 'suffix.example'));
  await route('literal', identifier('SUFFIX', '@literal.example'));
  await route('expression', identifier('EXPRESSION', '[a-z]+\\.[0-9]+@expression\\.example'));
  await route('first', identifier('SUFFIX', 'order.example'));
  await route('second', identifier('SUFFIX', 'order.example'));
  await route('near', { ...identifier('SUFFIX', 'network.example'), ...inZone(here) });
  await route('far', { ...identifier('SUFFIX', 'network.example'), ...inZone(elsewhere) });
  await route('outside', {
    ...identifier('SUFFIX', 'away.example'),
    network: { connection: 'ZONE', exclude: [elsewhere.body.id] },
  });
  await route('mobile', {
    ...identifier('SUFFIX', 'platform.example'),
    platform: { include: [{ type: 'MOBILE', os: { type: 'ANY' } }] },
  });
  await route('desktop', {
    ...identifier('SUFFIX', 'platform.example'),
    platform: { include: [{ type: 'DESKTOP', os: { type: 'ANY' } }] },
  });
  await route('attribute', {
    userIdentifier: {
      type: 'ATTRIBUTE',
      attribute: 'email',
      patterns: [{ matchType: 'SUFFIX', value: 'attribute.example' }],
    },
  });
  await route('department', {
    userIdentifier: {
      type: 'ATTRIBUTE',
      attribute: 'department',
      patterns: [{ matchType: 'EQUALS', value: 'Engines' }],
    },
  });
  const off = await route('off', identifier('SUFFIX', 'off.example'));
  const path = await defaultPolicyPath(org, 'IDP_DISCOVERY');
  expect((await org.admin.post(`${path}/rules/${off}/lifecycle/deactivate`)).status).toBe(204);
  await route('asleep', identifier('SUFFIX', 'asleep.example'));
  expect((await org.admin.post(`/api/v1/idps/${providers['asleep']}/lifecycle/deactivate`)).status).toBe(200);
  const many = [await createProvider('one of two'), await createProvider('two of two')];
  const actions = { idp: { providers: many.map((id) => ({ id, type: 'OIDC' })), idpSelectionType: 'SPECIFIC' } };
  await createRule(org, path, newRoutingRule({ conditions: identifier('SUFFIX', 'many.example'), actions }));
});

describe('which provider a login is sent to', () => {
  test.each([
    ['chief@equals.example', ['equals']],
    ['CHIEF@EQUALS.EXAMPLE', ['equals']],
    ['ｃｈｉｅｆ@equals.example', ['equals']],
    ['chief@equals.example.org', ['own']],
    ['xchief@equals.example', ['own']],
    ['svc-backup@anywhere.example', ['starts']],
    ['SVC-backup', ['starts']],
    ['asvc-backup@anywhere.example', ['own']],
    ['ada+robot7@anywhere.example', ['contains']],
    ['ada+ROBOT@anywhere.example', ['contains']],
    ['ada+robo@anywhere.example', ['own']],
    ['a@suffix.example', ['suffix']],
    ['a@eu.suffix.example', ['suffix']],
    ['a@deep.eu.suffix.example', ['suffix']],
    ['a@SUFFIX.example', ['suffix']],
    ['a@badsuffix.example', ['own']],
    ['a@suffix.example.org', ['own']],
    ['suffix.example@other.example', ['own']],
    ['a@literal.example', ['literal']],
    ['a@eu.literal.example', ['own']],
    ['ada.42@expression.example', ['expression']],
    ['ADA.42@EXPRESSION.EXAMPLE', ['expression']],
    ['ada.42@expressionxexample', ['own']],
    ['xx ada.42@expression.example', ['own']],
    ['ada@expression.example', ['own']],
    ['a@order.example', ['first']],
    ['a@network.example', ['near']],
    ['a@away.example', ['outside']],
    ['a@attribute.example', ['attribute']],
    ['attribute.example', ['own']],
    ['a@off.example', ['own']],
    ['a@asleep.example', ['own']],
    ['a@many.example', ['one of two', 'two of two']],
    ['Engines', ['own']],
    ['nobody@nowhere.example', ['own']],
    ["a' or '1'='1@x.example", ['own']],
    ['a@b@suffix.example', ['suffix']],
  ])('%s: %j', async (login, expected) => {
    const response = await webfinger(login);
    expect(response.status).toBe(200);
    expect(chosenIn(response)).toEqual(expected);
    expect(response.body.subject).toBe(`svc:acct:${login}`);
  });

  test.each([
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148 Safari/604.1',
      'mobile',
    ],
    ['Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/120.0 Safari/537.36', 'desktop'],
    // A platform condition is met if the platform of the client is unknown.
    ['curl', 'mobile'],
  ])('by platform: %s', async (agent, expected) => {
    expect(chosenIn(await webfinger('a@platform.example', [], org, { 'user-agent': agent }))).toEqual([expected]);
  });

  test('a rule that comes before another one wins, and leaves with its deactivation', async () => {
    const path = await defaultPolicyPath(org, 'IDP_DISCOVERY');
    const rules = (await org.admin.get(`${path}/rules`)).body;
    const first = rules.find(({ name }: { name: string }) => name === 'first');
    await org.admin.post(`${path}/rules/${first.id}/lifecycle/deactivate`);
    expect(chosenIn(await webfinger('a@order.example'))).toEqual(['second']);
    await org.admin.post(`${path}/rules/${first.id}/lifecycle/activate`);
    expect(chosenIn(await webfinger('a@order.example'))).toEqual(['first']);
  });

  test('another org has rules of its own', async () => {
    const other = await service.newOrg();
    expect(chosenIn(await webfinger('a@suffix.example', [], other))).toEqual(['own']);
  });
});

describe('the answer', () => {
  test('describes a configured provider, and the org itself', async () => {
    const id = providers['suffix'];
    expect((await webfinger('a@suffix.example')).body).toEqual({
      subject: 'svc:acct:a@suffix.example',
      links: [
        {
          rel: 'svc:idp',
          href: `${org.baseUrl}/sso/idps/${id}`,
          titles: { und: 'suffix' },
          properties: {
            'svc:idp:metadata': `${org.baseUrl}/api/v1/idps/${id}/metadata.xml`,
            'svc:idp:type': 'OIDC',
            'svc:idp:id': id,
          },
        },
      ],
    });
    expect((await webfinger('nobody@nowhere.example')).body.links).toEqual([
      {
        rel: ISSUER,
        href: `${org.baseUrl}/sso/idps/SVC`,
        titles: { und: org.subdomain },
        properties: { 'svc:idp:type': 'SVC' },
      },
    ]);
  });

  test.each([
    [['svc:idp'], 'a@suffix.example', ['suffix']],
    [['svc:idp'], 'nobody@nowhere.example', []],
    [[ISSUER], 'a@suffix.example', ['own']],
    [[ISSUER], 'nobody@nowhere.example', ['own']],
    [['svc:idp', ISSUER], 'a@suffix.example', ['suffix', 'own']],
    [[ISSUER, 'svc:idp'], 'nobody@nowhere.example', ['own']],
    [['svc:idp', 'svc:idp'], 'a@suffix.example', ['suffix']],
  ])('with rel %j for %s: %j', async (rel, login, expected) => {
    expect(chosenIn(await webfinger(login, rel))).toEqual(expected);
  });

  test.each(['application/jrd+json', 'application/json', 'text/html', '*/*', 'nonsense', ''])(
    'is application/jrd+json for Accept: %s',
    async (accept) => {
      const response = await webfinger('a@suffix.example', [], org, { accept });
      expect(response.status).toBe(200);
      expect(response.headers['content-type']).toMatch(/^application\/jrd\+json/);
    },
  );

  test('needs no credential and looks at none', async () => {
    const response = await webfinger('a@suffix.example', [], org, { authorization: 'SSWS nonsense' });
    expect(chosenIn(response)).toEqual(['suffix']);
  });

  test('is the same whether a user exists or not, also with rules on attributes', async () => {
    const login = 'known@nowhere.example';
    await org.createUser({ profile: { login, email: 'known@attribute.example', department: 'Engines' } });
    const [known, unknown] = [await webfinger(login), await webfinger('unknown@nowhere.example')];
    expect(known.body.links).toEqual(unknown.body.links);
    expect(Object.keys(known.headers).toSorted()).toEqual(Object.keys(unknown.headers).toSorted());
  });
});

describe('refusals', () => {
  test.each([
    ['no resource', ''],
    ['an empty resource', '?resource='],
    ['another scheme', '?resource=acct:a@suffix.example'],
    ['an empty login', '?resource=svc:acct:'],
    ['blanks as login', '?resource=svc:acct:%20%20'],
    ['two resources', '?resource=svc:acct:a&resource=svc:acct:b'],
    ['a login of 1,001 characters', `?resource=svc:acct:${'a'.repeat(1_001)}`],
    ['a four-byte character', '?resource=svc:acct:a%F0%9F%98%80'],
    ['NUL', '?resource=svc:acct:a%00'],
    ['an unknown relation', '?resource=svc:acct:a&rel=https://example.com/rel'],
    ['one unknown relation among known ones', `?resource=svc:acct:a&rel=svc:idp&rel=x`],
    ['an empty relation', '?resource=svc:acct:a&rel='],
  ])('%s', async (_, query) => {
    const response = await org.anonymous.get(`/.well-known/webfinger${query}`, { headers: { accept: 'text/html' } });
    expect(response.status).toBe(400);
    expect(response.body.errorCode).toMatch(/^E000000[12]$/);
    expect(response.headers['content-type']).toMatch(/^application\/json/);
  });
});

test('decisions are in the log, counted by rule, client and minute', async () => {
  const fresh = await service.newOrg();
  for (let times = 0; times < 3; times += 1) await webfinger('a@x.example', [], fresh);
  await service.application.routingEvents.flush(true);
  const events = await fresh.systemLog('eventType eq "system.idp.route"');
  expect(events).toHaveLength(1);
  expect(events[0]).toMatchObject({
    outcome: { result: 'SUCCESS' },
    client: { ipAddress: '127.0.0.1' },
    debugContext: { debugData: { count: '3' } },
    target: [{ type: 'Policy' }, { type: 'Rule' }],
  });
});
