import { describe, expect, test } from 'vitest';
import { beforeTests } from '../support/before-tests.ts';
import { postForm } from '../support/service-apps.ts';
import { newServiceClient } from '../support/service-clients.ts';
import { useService } from '../support/use-service.ts';

const SCOPES = ['logs.read', 'users.read'];
const USERS = '/api/v1/users?limit=1';
const REVOKE = '/oauth2/v1/revoke';

const { service, org } = useService();
const client = beforeTests(() => newServiceClient(service, org, { scopes: SCOPES, roles: ['READ_ONLY_ADMIN'] }));
const stranger = beforeTests(() => newServiceClient(service, org, { scopes: SCOPES, roles: ['READ_ONLY_ADMIN'] }));

const statusOf = async (token: string): Promise<number> => (await client.bearer(token).get(USERS)).status;

const revocations = () => org.systemLog('eventType eq "app.oauth2.token.revoke"');

const revoked = (token: string, by = client) => by.post('revoke', { token });

describe('revocation', () => {
  test('voids a token at once, answers nothing, and is in the log once', async () => {
    const token = await client.token('users.read');
    expect(await statusOf(token)).toBe(200);
    const answer = await revoked(token);
    expect(answer).toMatchObject({ status: 200, text: '' });
    expect(await statusOf(token)).toBe(401);
    expect((await revoked(token)).status).toBe(200);
    const jti = String(JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).jti);
    const events = (await revocations()).filter(({ target }) => target.some(({ id }: { id: string }) => id === jti));
    expect(events).toMatchObject([
      {
        actor: { id: client.id, type: 'PublicClientApp' },
        target: [
          { id: client.id, type: 'PublicClientApp' },
          { id: jti, type: 'access_token' },
        ],
      },
    ]);
    expect(JSON.stringify(events)).not.toContain(token);
  });

  test('leaves the other tokens of the client alone', async () => {
    const [token, kept] = [await client.token('users.read'), await client.token('users.read')];
    await revoked(token);
    expect(await statusOf(kept)).toBe(200);
  });

  test.each(['access_token', 'refresh_token', 'nonsense', ''])('a hint of %j changes nothing', async (hint) => {
    const token = await client.token('users.read');
    expect((await client.post('revoke', { token, token_type_hint: hint })).status).toBe(200);
    expect(await statusOf(token)).toBe(401);
  });

  test("of another client's token changes nothing, and says nothing", async () => {
    const token = await client.token('users.read');
    const before = await revocations();
    expect(await revoked(token, stranger)).toMatchObject({ status: 200, text: '' });
    expect(await statusOf(token)).toBe(200);
    expect(await revocations()).toEqual(before);
  });

  test('of what is no token answers the same', async () => {
    expect(await revoked('garbage')).toMatchObject({ status: 200, text: '' });
    expect(await revoked(org.adminToken)).toMatchObject({ status: 200, text: '' });
    expect((await org.admin.get(USERS)).status).toBe(200);
  });

  test('without a token, or without a client, is refused', async () => {
    expect(await client.post('revoke')).toMatchObject({
      status: 400,
      body: { error: 'invalid_request', error_description: "The 'token' parameter is required." },
    });
    const token = await client.token('users.read');
    expect(await postForm(org.anonymous, REVOKE, { token })).toMatchObject({
      status: 401,
      body: { error: 'invalid_client' },
    });
    const assertion = await client.assertion('introspect');
    expect((await client.post('revoke', { token, client_assertion: assertion })).status).toBe(401);
    expect(await statusOf(token)).toBe(200);
  });
});

describe('a token is refused by the API', () => {
  const usersOf = (token: string, of = org) => of.client({ authorization: `Bearer ${token}` }).get(USERS);
  const refusal = { status: 401, body: { errorCode: 'E0000011' } };

  test('of another org', async () => {
    const other = await service.newOrg();
    const foreigner = await newServiceClient(service, other, { scopes: SCOPES, roles: ['READ_ONLY_ADMIN'] });
    const token = await foreigner.token('users.read');
    expect((await usersOf(token, other)).status).toBe(200);
    expect(await usersOf(token)).toMatchObject(refusal);
  });

  test.each([
    ['truncated', (token: string) => token.slice(0, -20)],
    ['without a signature', (token: string) => token.slice(0, token.lastIndexOf('.') + 1)],
    [
      'with alg none',
      (token: string) =>
        [Buffer.from('{"alg":"none"}').toString('base64url'), token.split('.')[1] ?? '', 'AAAA'].join('.'),
    ],
    ['undefined', () => 'undefined'],
  ])('%s', async (_, spoil) => {
    expect(await usersOf(spoil(await client.token('users.read')))).toMatchObject(refusal);
  });

  test('when its app is deactivated; activated again, tokens of before stay void', async () => {
    const gone = await newServiceClient(service, org, { scopes: SCOPES, roles: ['READ_ONLY_ADMIN'] });
    const token = await gone.token('users.read');
    expect((await usersOf(token)).status).toBe(200);
    await org.admin.post(`/api/v1/apps/${gone.id}/lifecycle/deactivate`);
    expect(await usersOf(token)).toMatchObject(refusal);
    await org.admin.post(`/api/v1/apps/${gone.id}/lifecycle/activate`);
    expect(await usersOf(token)).toMatchObject(refusal);
    expect((await usersOf(await gone.token('users.read'))).status).toBe(200);
  });

  test('when a grant of its client was revoked', async () => {
    const loser = await newServiceClient(service, org, { scopes: SCOPES, roles: ['READ_ONLY_ADMIN'] });
    const token = await loser.token(...SCOPES);
    expect((await usersOf(token)).status).toBe(200);
    const grants = `/api/v1/apps/${loser.id}/grants`;
    const all: { id: string; scopeId: string }[] = (await org.admin.get(grants)).body;
    const grant = all.find(({ scopeId }) => scopeId === 'svc.users.read');
    expect((await org.admin.del(`${grants}/${grant?.id ?? ''}`)).status).toBe(204);
    expect(await usersOf(token)).toMatchObject(refusal);
    expect(await usersOf(await loser.token('logs.read'))).toMatchObject({ status: 403 });
  });

  test('with 403, not 401, when its client lost the role, until it has it again', async () => {
    const loser = await newServiceClient(service, org, { scopes: SCOPES, roles: ['READ_ONLY_ADMIN'] });
    const token = await loser.token('users.read');
    const roles = `/oauth2/v1/clients/${loser.id}/roles`;
    const [role] = (await org.admin.get(roles)).body;
    expect((await usersOf(token)).status).toBe(200);
    expect((await org.admin.del(`${roles}/${role.id}`)).status).toBe(204);
    expect(await usersOf(token)).toMatchObject({ status: 403, body: { errorCode: 'E0000006' } });
    await org.admin.post(roles, { body: { type: 'READ_ONLY_ADMIN' } });
    expect((await usersOf(token)).status).toBe(200);
  });
});
