import { describe, expect, test } from 'vitest';
import { beforeTests } from '../support/before-tests.ts';
import {
  type CustomServer,
  GRANT,
  good,
  newCustomServer,
  newServerClient,
  sendAs,
  tokenAt,
} from '../support/custom-servers.ts';
import { postForm } from '../support/service-apps.ts';
import { useService } from '../support/use-service.ts';

const { service, org } = useService({ isShared: false });
const app = beforeTests(() => newServerClient(org, KEY));

const KEY = 'private_key_jwt';
const TWO = { scopes: { 'orders.read': {}, 'orders.write': {} } };
const BOTH = { ...GRANT, scope: 'orders.read orders.write' };

const introspect = async ({ oauth }: CustomServer, token: string, as = app) =>
  good(sendAs(org, as, KEY, `${oauth}/v1/introspect`, { token }));
const revoke = ({ oauth }: CustomServer, token: string, as = app) =>
  sendAs(org, as, KEY, `${oauth}/v1/revoke`, { token });
const isActive = async (server: CustomServer, token: string): Promise<boolean> =>
  (await introspect(server, token)).active;

/** A process may introspect a token with cached data that is up to a second old. */
const aSecondLater = () => service.clock.advance(1_100);

describe('introspection at a custom server', () => {
  test('shows the client its token, in the order of the contract', async () => {
    const server = await newCustomServer(org, TWO);
    const body = await introspect(server, await tokenAt(org, server, app, BOTH));
    expect(Object.keys(body)).toEqual([
      'active',
      'scope',
      'exp',
      'iat',
      'sub',
      'aud',
      'iss',
      'jti',
      'token_type',
      'client_id',
    ]);
    expect(body).toMatchObject({
      active: true,
      scope: 'orders.read orders.write',
      sub: app.id,
      aud: 'api://orders',
      iss: server.issuer,
      token_type: 'Bearer',
      client_id: app.id,
    });
    expect(body.exp - body.iat).toBe(1_800);
  });

  test("shows nothing of another client's, a changed, an old or an unknown one", async () => {
    const server = await newCustomServer(org);
    const token = await tokenAt(org, server, app);
    const other = await newServerClient(org, KEY);
    expect(await introspect(server, token, other)).toEqual({ active: false });
    const [header, claims = '', signature] = token.split('.');
    const changed = Buffer.from(Buffer.from(claims, 'base64url').toString().replace('orders', 'orderz'));
    for (const bad of [`${header}.${changed.toString('base64url')}.${signature}`, 'x', 'a.b.c']) {
      expect(await introspect(server, bad)).toEqual({ active: false });
    }
    service.clock.advance(31 * 60_000);
    expect(await introspect(server, token)).toEqual({ active: false });
  });

  test('asks for the client first, and for a token', async () => {
    const { oauth } = await newCustomServer(org);
    for (const endpoint of ['introspect', 'revoke']) {
      const path = `${oauth}/v1/${endpoint}`;
      expect(await postForm(org.anonymous, path, { token: 'x' })).toMatchObject({
        status: 401,
        body: { error: 'invalid_client' },
      });
      expect(await sendAs(org, app, KEY, path, {})).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
    }
  });

  test('takes every way in which clients prove themselves', async () => {
    const { oauth } = await newCustomServer(org);
    for (const proof of ['client_secret_basic', 'client_secret_post', 'client_secret_jwt'] as const) {
      const client = await newServerClient(org, proof);
      const { access_token: token } = await good(sendAs(org, client, proof, `${oauth}/v1/token`, GRANT));
      const { active } = await good(sendAs(org, client, proof, `${oauth}/v1/introspect`, { token }));
      expect([proof, active]).toEqual([proof, true]);
    }
  });
});

describe('a token of a custom server ends', () => {
  test('when its client revokes it, there and nowhere else, once', async () => {
    const [server, other] = [await newCustomServer(org), await newCustomServer(org)];
    const [token, kept] = [await tokenAt(org, server, app), await tokenAt(org, server, app)];
    const stranger = await newServerClient(org, KEY);
    expect((await revoke(other, token)).status).toBe(200);
    expect((await revoke(server, token, stranger)).status).toBe(200);
    expect((await sendAs(org, app, KEY, '/oauth2/v1/revoke', { token })).status).toBe(200);
    expect(await isActive(server, token)).toBe(true);
    const before = await org.systemLog('eventType eq "app.oauth2.as.token.revoke"');
    for (const _ of [1, 2]) {
      const { status, text } = await revoke(server, token);
      expect([status, text]).toEqual([200, '']);
    }
    aSecondLater();
    expect([await isActive(server, token), await isActive(server, kept)]).toEqual([false, true]);
    const events = await org.systemLog('eventType eq "app.oauth2.as.token.revoke"');
    expect(events.slice(before.length)).toMatchObject([
      {
        actor: { id: app.id },
        target: [{ id: app.id }, { type: 'access_token' }, { id: server.id, type: 'AuthorizationServer' }],
      },
    ]);
  });

  test('with its server: deactivated, and active again', async () => {
    const server = await newCustomServer(org);
    const token = await tokenAt(org, server, app);
    await good(org.admin.post(`${server.path}/lifecycle/deactivate`));
    aSecondLater();
    const refused = await sendAs(org, app, KEY, `${server.oauth}/v1/introspect`, { token });
    expect(refused).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
    await good(org.admin.post(`${server.path}/lifecycle/activate`));
    aSecondLater();
    expect(await isActive(server, token)).toBe(false);
    expect(await isActive(server, await tokenAt(org, server, app))).toBe(true);
  });

  test('with its server: deleted, with its keys', async () => {
    const server = await newCustomServer(org);
    await tokenAt(org, server, app);
    const count = async () => {
      const text = 'select count(*)::int as count from signing_keys where org_id = $1 and server_id = $2';
      return (await service.database.pool.query(text, [org.id, server.id])).rows[0].count;
    };
    expect(await count()).toBe(1);
    await good(org.admin.post(`${server.path}/lifecycle/deactivate`));
    await good(org.admin.del(server.path));
    expect(await count()).toBe(0);
    expect((await org.anonymous.get(`${server.oauth}/v1/keys`)).status).toBe(404);
  });

  test('with its scopes, one by one; a scope that is made anew is another one', async () => {
    const server = await newCustomServer(org, TWO);
    const token = await tokenAt(org, server, app, BOTH);
    const scopes = await good(org.admin.get(`${server.path}/scopes`));
    const idOf = (name: string) => scopes.find((one: { readonly name: string }) => one.name === name).id;
    await good(org.admin.del(`${server.path}/scopes/${idOf('orders.write')}`));
    aSecondLater();
    expect((await introspect(server, token)).scope).toBe('orders.read');
    await good(org.admin.del(`${server.path}/scopes/${idOf('orders.read')}`));
    await good(org.admin.post(`${server.path}/scopes`, { body: { name: 'orders.read' } }));
    aSecondLater();
    expect(await isActive(server, token)).toBe(false);
    expect(await isActive(server, await tokenAt(org, server, app))).toBe(true);
  });

  test('with its client', async () => {
    const server = await newCustomServer(org);
    const client = await newServerClient(org, KEY);
    const token = await tokenAt(org, server, client);
    expect((await introspect(server, token, client)).active).toBe(true);
    await good(org.admin.post(`/api/v1/apps/${client.id}/lifecycle/deactivate`));
    await good(org.admin.post(`/api/v1/apps/${client.id}/lifecycle/activate`));
    aSecondLater();
    expect((await introspect(server, token, client)).active).toBe(false);
  });

  test('never lives on where it is issued while its server is deactivated', async () => {
    const server = await newCustomServer(org);
    const path = `${server.oauth}/v1/token`;
    const requests = Array.from({ length: 8 }, () => sendAs(org, app, KEY, path, GRANT));
    const [answers] = await Promise.all([Promise.all(requests), org.admin.post(`${server.path}/lifecycle/deactivate`)]);
    await good(org.admin.post(`${server.path}/lifecycle/activate`));
    aSecondLater();
    for (const { body, status } of answers) {
      if (status === 200) expect(await isActive(server, body.access_token)).toBe(false);
      else expect([status, body.error]).toEqual([400, 'invalid_request']);
    }
  });
});
