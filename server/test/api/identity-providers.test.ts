import { describe, expect, test } from 'vitest';
import { newOidcProvider } from '../support/identity-providers.ts';
import { createRule, defaultPolicyPath, invalidWith, newRoutingRule, nextPage } from '../support/policies.ts';
import {
  createProvider,
  createSamlProvider,
  newSamlProvider,
  newSocialProvider,
  PROVIDERS,
} from '../support/provider-requests.ts';
import type { TestOrg } from '../support/service.ts';
import { useService } from '../support/use-service.ts';

const { service, org } = useService({ isShared: false });

const SECRET = 'a secret of the provider';
const eventsOf = async (of: TestOrg) =>
  (await of.systemLog('eventType sw "system.idp"')).map(({ eventType }: { eventType: string }) => eventType);

describe('list', () => {
  test('is paged, and narrowed by name and type', async () => {
    const own = await service.newOrg();
    for (const name of ['alpha', 'alphabet', 'beta']) await createProvider(own, newOidcProvider(name));
    await createProvider(own, newSocialProvider('GOOGLE', 'OIDC', { name: 'alpha google' }));
    const names = async (query: string): Promise<string[]> =>
      (await own.admin.get(`${PROVIDERS}?${query}`)).body.map(({ name }: { name: string }) => name).toSorted();
    expect(await names('')).toEqual(['alpha', 'alpha google', 'alphabet', 'beta']);
    expect(await names('q=alpha')).toEqual(['alpha', 'alpha google', 'alphabet']);
    expect(await names('q=alpha&type=GOOGLE')).toEqual(['alpha google']);
    expect(await names('type=SVC_INTEGRATION')).toEqual([]);
    expect(await names('q=%25')).toEqual([]);
    const first = await own.admin.get(`${PROVIDERS}?limit=3`);
    const rest = await own.admin.get(nextPage(first) ?? '');
    expect([first.body.length, rest.body.length, nextPage(rest)]).toEqual([3, 1, null]);
  });

  test.each(['type=saml2', 'type=INTEGRATION', 'type=constructor', 'limit=0', 'after=x'])(
    'refuses %s',
    async (query) => {
      expect(await org.admin.get(`${PROVIDERS}?${query}`)).toMatchObject({
        status: 400,
        body: { errorCode: 'E0000001' },
      });
    },
  );
});

describe('replace', () => {
  test('what is read can be sent back: nothing changes', async () => {
    const made = await createSamlProvider(org);
    const replaced = await org.admin.put(`${PROVIDERS}/${made.id}`, { body: made });
    expect(replaced).toMatchObject({ status: 200 });
    expect({ ...replaced.body, lastUpdated: null }).toEqual({ ...made, lastUpdated: null });
    const social = await createProvider(org, newSocialProvider('GITHUB', 'OAUTH2'));
    expect((await org.admin.put(`${PROVIDERS}/${social.id}`, { body: social })).body.protocol).toEqual(social.protocol);
  });

  test('a filter that was taken before there was a limit holds on, until it is changed', async () => {
    const made = await createProvider(org, newOidcProvider());
    const filter = '(?=a)a';
    const { rowCount } = await service.application.pool.query(
      `update identity_providers set document = jsonb_set(document, '{policy,subject,filter}', to_jsonb($2::text))
       where id = $1`,
      [made.id, filter],
    );
    expect(rowCount).toBe(1);
    const path = `${PROVIDERS}/${made.id}`;
    const { body: read } = await org.admin.get(path);
    expect((await org.admin.put(path, { body: { ...read, name: 'renamed' } })).body).toMatchObject({
      name: 'renamed',
      policy: { subject: { filter } },
    });
    const changed = { ...read.policy, subject: { ...read.policy.subject, filter: `${filter}b` } };
    expect(await org.admin.put(path, { body: { ...read, policy: changed } })).toMatchObject(invalidWith('RE2 syntax'));
  });

  test('what is left out gets its default; audience, status and secret stay', async () => {
    const made = await createSamlProvider(org, { status: 'INACTIVE', policy: { maxClockSkew: 5, trustClaims: true } });
    const { kid, audience } = made.protocol.credentials.trust;
    const body = newSamlProvider(kid, { name: 'another name' });
    const { body: replaced } = await org.admin.put(`${PROVIDERS}/${made.id}`, { body });
    expect(replaced).toMatchObject({
      name: 'another name',
      status: 'INACTIVE',
      policy: { maxClockSkew: 0, trustClaims: false },
      protocol: { credentials: { trust: { audience } } },
    });
    const oidc = await createProvider(org);
    const { client_secret: _, ...client } = oidc.protocol.credentials.client;
    const without = { ...oidc, protocol: { ...oidc.protocol, credentials: { client } } };
    const kept = await org.admin.put(`${PROVIDERS}/${oidc.id}`, { body: without });
    expect(kept.body.protocol.credentials.client.client_secret).toBe(SECRET);
    const other = {
      ...without,
      protocol: { ...oidc.protocol, credentials: { client: { ...client, client_secret: 'x' } } },
    };
    await org.admin.put(`${PROVIDERS}/${oidc.id}`, { body: other });
    const read = await org.admin.get(`${PROVIDERS}/${oidc.id}`);
    expect(read.body.protocol.credentials.client.client_secret).toBe('x');
  });

  test('a secret that is left out does not follow the addresses to another origin', async () => {
    const oidc = await createProvider(org);
    const { protocol } = oidc;
    const { client_secret: _, ...client } = protocol.credentials.client;
    const put = (name: string, url: string, credentials: unknown = { client }) =>
      org.admin.put(`${PROVIDERS}/${oidc.id}`, {
        body: {
          ...oidc,
          protocol: { ...protocol, credentials, endpoints: { ...protocol.endpoints, [name]: { url } } },
        },
      });
    const elsewhere = 'https://evil.example/token';
    const refused = await put('token', elsewhere);
    expect(refused).toMatchObject(invalidWith('protocol.credentials.client.client_secret: must be given again'));
    expect(await put('token', 'https://idp.example:8443/token')).toMatchObject({ status: 400 });
    expect((await org.admin.get(`${PROVIDERS}/${oidc.id}`)).body.protocol).toEqual(protocol);
    expect(await put('token', 'https://idp.example/v2/token')).toMatchObject({ status: 200 });
    expect(await put('jwks', 'https://keys.example/jwks')).toMatchObject({ status: 200 });
    const given = { client: { ...client, client_secret: 'another' } };
    expect(await put('token', elsewhere, given)).toMatchObject({ status: 200 });
  });

  test('a service that is known by its type keeps its secret until it is asked elsewhere', async () => {
    const verifier = (more: object) => ({
      type: 'IDV_CLEAR',
      name: 'verifier',
      protocol: { type: 'ID_PROOFING', scopes: ['openid'], ...more },
    });
    const client = { client_id: 'c' };
    const made = await createProvider(org, verifier({ credentials: { client: { ...client, client_secret: 's' } } }));
    const put = (more: object) =>
      org.admin.put(`${PROVIDERS}/${made.id}`, { body: verifier({ credentials: { client }, ...more }) });
    const url = { url: 'https://evil.example/x' };
    const endpoints = { par: url, authorization: url, token: url, jwks: url };
    expect(await put({ endpoints })).toMatchObject(invalidWith('is never sent to another origin'));
    expect(await put({})).toMatchObject({ status: 200 });
  });

  test('a client that proves itself by a key has no secret left', async () => {
    const oidc = await createProvider(org);
    const client = { client_id: 'c', token_endpoint_auth_method: 'private_key_jwt' };
    const body = { ...oidc, protocol: { ...oidc.protocol, credentials: { client } } };
    const replaced = await org.admin.put(`${PROVIDERS}/${oidc.id}`, { body });
    expect(replaced.body.protocol.credentials.client).toEqual(client);
    const { rows } = await service.database.pool.query<{ sealed: Buffer | null }>(
      'select sealed_secret as sealed from identity_providers where org_id = $1 and id = $2',
      [org.id, oidc.id],
    );
    expect(rows).toEqual([{ sealed: null }]);
  });

  test('the type stays', async () => {
    const made = await createProvider(org);
    expect(await org.admin.put(`${PROVIDERS}/${made.id}`, { body: newSocialProvider('GOOGLE') })).toMatchObject(
      invalidWith('cannot be changed'),
    );
  });

  test('is logged with what changed, without the secret', async () => {
    const own = await service.newOrg();
    const made = await createProvider(own);
    await own.admin.put(`${PROVIDERS}/${made.id}`, { body: { ...made, name: 'renamed' } });
    const [event] = await own.systemLog('eventType eq "system.idp.lifecycle.update"');
    expect(event.target[0].changeDetails).toMatchObject({ from: { name: made.name }, to: { name: 'renamed' } });
    expect(JSON.stringify(event)).not.toContain(SECRET);
  });
});

describe('lifecycle and deletion', () => {
  test('deactivate and activate answer the object; what is so already stays, without an event', async () => {
    const own = await service.newOrg();
    const { id } = await createProvider(own);
    for (const [action, status] of [
      ['deactivate', 'INACTIVE'],
      ['deactivate', 'INACTIVE'],
      ['activate', 'ACTIVE'],
      ['activate', 'ACTIVE'],
    ]) {
      expect(await own.admin.post(`${PROVIDERS}/${id}/lifecycle/${action}`)).toMatchObject({
        status: 200,
        body: { id, status },
      });
    }
    expect(await own.admin.del(`${PROVIDERS}/${id}`)).toMatchObject({ status: 204, text: '' });
    expect(await eventsOf(own)).toEqual([
      'system.idp.lifecycle.create',
      'system.idp.lifecycle.deactivate',
      'system.idp.lifecycle.activate',
      'system.idp.lifecycle.delete',
    ]);
    for (const [method, path] of [
      ['GET', ''],
      ['PUT', ''],
      ['DELETE', ''],
      ['POST', '/lifecycle/activate'],
      ['GET', '/metadata.xml'],
    ] as const) {
      const body = method === 'PUT' ? { body: newOidcProvider() } : {};
      expect(await own.admin.send(method, `${PROVIDERS}/${id}${path}`, body)).toMatchObject({
        status: 404,
        body: {
          errorCode: 'E0000007',
          errorSummary: `Not found: Resource not found: ${id} (IdentityProvider)`,
        },
      });
    }
  });

  test('one that a routing rule names is not deleted', async () => {
    const own = await service.newOrg();
    const { id } = await createProvider(own);
    const policy = await defaultPolicyPath(own, 'IDP_DISCOVERY');
    const rule = await createRule(
      own,
      policy,
      newRoutingRule({ name: 'partners', actions: { idp: { providers: [{ id, type: 'OIDC' }] } } }),
    );
    expect(await own.admin.del(`${PROVIDERS}/${id}`)).toMatchObject(invalidWith('partners'));
    await own.admin.del(`${policy}/rules/${rule.id}`);
    expect(await own.admin.del(`${PROVIDERS}/${id}`)).toMatchObject({ status: 204 });
  });
});

describe('who may', () => {
  test('readers see no secret and change nothing', async () => {
    const { id } = await createProvider(org);
    const reader = await org.withRoles('READ_ONLY_ADMIN');
    const read = await reader.get(`${PROVIDERS}/${id}`);
    expect(read.status).toBe(200);
    expect(read.body.protocol.credentials.client).toEqual({ client_id: 'gatehouse' });
    expect((await reader.get(PROVIDERS)).text).not.toContain(SECRET);
    const refused = { status: 403, body: { errorCode: 'E0000006' } };
    expect(await reader.post(PROVIDERS, { body: newOidcProvider() })).toMatchObject(refused);
    expect(await reader.put(`${PROVIDERS}/${id}`, { body: newOidcProvider() })).toMatchObject(refused);
    expect(await reader.post(`${PROVIDERS}/${id}/lifecycle/deactivate`)).toMatchObject(refused);
    expect(await reader.del(`${PROVIDERS}/${id}`)).toMatchObject(refused);
    const stranger = await org.withRoles('USER_ADMIN');
    expect(await stranger.get(`${PROVIDERS}/${id}`)).toMatchObject(refused);
  });

  test("another org's answers as an unknown one", async () => {
    const { id } = await createProvider(await service.newOrg());
    expect(await org.admin.get(`${PROVIDERS}/${id}`)).toMatchObject({ status: 404, body: { errorCode: 'E0000007' } });
    expect(await org.anonymous.get(`${PROVIDERS}/${id}/metadata.xml`)).toMatchObject({ status: 404 });
  });
});

describe('secrets', () => {
  test('are sealed in the database and never logged', async () => {
    const client = { client_id: 'c' };
    const signing = { kid: 'k', teamId: 't', privateKey: 'a-private-key' };
    const protocol = { type: 'OIDC', scopes: ['openid'], credentials: { client, signing } };
    const apple = await createProvider(org, newSocialProvider('APPLE', 'OIDC', { protocol }));
    expect(JSON.stringify(apple)).not.toContain('a-private-key');
    const other = { type: 'OIDC', svcIdpOrgUrl: 'https://other.example', credentials: { client } };
    await createProvider(org, { type: 'SVC_INTEGRATION', name: 'another org', protocol: other });
    const { rows } = await service.database.pool.query<{ row: string }>(
      'select to_jsonb(p)::text as row from identity_providers p',
    );
    expect(rows.length).toBeGreaterThan(0);
    for (const { row } of rows) {
      for (const secret of [SECRET, 'a-private-key']) {
        expect(row).not.toContain(secret);
        expect(row).not.toContain(Buffer.from(secret).toString('hex'));
      }
      expect(row).not.toMatch(/svc_|svcidp/i);
    }
    expect(service.logged()).not.toContain(SECRET);
  });
});
