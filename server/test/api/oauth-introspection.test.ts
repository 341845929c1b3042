import { describe, expect, test } from 'vitest';
import { beforeTests } from '../support/before-tests.ts';
import { postForm } from '../support/service-apps.ts';
import { newServiceClient } from '../support/service-clients.ts';
import { useService } from '../support/use-service.ts';

const SCOPES = ['logs.read', 'users.read'];
const INACTIVE = { status: 200, body: { active: false } };
const INTROSPECT = '/oauth2/v1/introspect';

const { service, org } = useService({ isShared: false });
const client = beforeTests(() => newServiceClient(service, org, { scopes: SCOPES, roles: ['READ_ONLY_ADMIN'] }));
const stranger = beforeTests(() => newServiceClient(service, org, { scopes: SCOPES }));

describe('introspection', () => {
  test('tells a client of its token what the contract shows, in its order', async () => {
    const token = await client.token(...SCOPES);
    const { body, headers, status } = await client.post('introspect', { token });
    expect(status).toBe(200);
    expect(headers['cache-control']).toContain('no-store');
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<
      string,
      unknown
    >;
    expect(JSON.stringify(body)).toBe(
      JSON.stringify({
        active: true,
        scope: 'svc.logs.read svc.users.read',
        exp: claims['exp'],
        iat: claims['iat'],
        sub: client.id,
        aud: org.baseUrl,
        iss: org.baseUrl,
        jti: claims['jti'],
        token_type: 'Bearer',
        client_id: client.id,
      }),
    );
  });

  test.each(['access_token', 'refresh_token', 'id_token', 'nonsense', ''])(
    'a hint of %j changes nothing',
    async (hint) => {
      const token = await client.token('users.read');
      expect((await client.post('introspect', { token, token_type_hint: hint })).body.active).toBe(true);
    },
  );

  test("another client's token is inactive", async () => {
    const token = await client.token('users.read');
    expect(await stranger.post('introspect', { token })).toMatchObject(INACTIVE);
    expect((await stranger.post('introspect', { token })).text).toBe('{"active":false}');
  });

  test("a token of another org is inactive, whichever org's client asks", async () => {
    const other = await service.newOrg();
    const foreigner = await newServiceClient(service, other, { scopes: SCOPES });
    expect(await client.post('introspect', { token: await foreigner.token('users.read') })).toMatchObject(INACTIVE);
    expect(await foreigner.post('introspect', { token: await client.token('users.read') })).toMatchObject(INACTIVE);
  });

  test.each([
    ['garbage', async () => 'garbage'],
    ['a truncated token', async () => (await client.token('users.read')).slice(0, -10)],
    ['an API token', async () => org.adminToken],
    ['an assertion', () => client.assertion('introspect')],
    ['something long', async () => 'a'.repeat(60_000)],
  ])('%s is inactive', async (_, make) => {
    expect(await client.post('introspect', { token: await make() })).toMatchObject(INACTIVE);
  });

  test('a revoked token is inactive at once', async () => {
    const token = await client.token('users.read');
    expect((await client.post('introspect', { token })).body.active).toBe(true);
    expect((await client.post('revoke', { token })).status).toBe(200);
    expect(await client.post('introspect', { token })).toMatchObject(INACTIVE);
  });

  test('a token is inactive once a grant of its client was revoked, even if granted anew', async () => {
    const loser = await newServiceClient(service, org, { scopes: SCOPES });
    const token = await loser.token(...SCOPES);
    expect((await loser.post('introspect', { token })).body.active).toBe(true);
    const grants = `/api/v1/apps/${loser.id}/grants`;
    const [grant] = (await org.admin.get(grants)).body;
    expect((await org.admin.del(`${grants}/${grant.id}`)).status).toBe(204);
    expect(await loser.post('introspect', { token })).toMatchObject(INACTIVE);
    await org.admin.post(grants, { body: { scopeId: grant.scopeId, issuer: org.baseUrl } });
    expect(await loser.post('introspect', { token })).toMatchObject(INACTIVE);
    expect((await loser.post('introspect', { token: await loser.token(...SCOPES) })).body.active).toBe(true);
  });

  test('a token that is over is inactive', async () => {
    const token = await client.token('users.read');
    service.clock.advance(3_600_000);
    expect(await client.post('introspect', { token })).toMatchObject(INACTIVE);
  });

  test('without a token is refused', async () => {
    const refusal = {
      status: 400,
      body: { error: 'invalid_request', error_description: "The 'token' parameter is required." },
    };
    expect(await client.post('introspect')).toMatchObject(refusal);
    expect(await client.post('introspect', { token: '' })).toMatchObject(refusal);
  });

  test('without a client is refused, before anything is said of the token', async () => {
    const refusal = {
      status: 401,
      body: { error: 'invalid_client', error_description: 'No client credentials found.' },
    };
    expect(await postForm(org.anonymous, INTROSPECT, { token: await client.token('users.read') })).toMatchObject(
      refusal,
    );
    expect(await postForm(org.anonymous, INTROSPECT, {})).toMatchObject(refusal);
  });

  test('with an assertion for another endpoint is refused', async () => {
    const token = await client.token('users.read');
    const answer = await client.post('introspect', { token, client_assertion: await client.assertion('revoke') });
    expect(answer).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
  });

  test('with a token in the place of the client is refused', async () => {
    const token = await client.token('users.read');
    const answer = await postForm(
      org.anonymous,
      INTROSPECT,
      { token },
      { headers: { authorization: `Bearer ${token}` } },
    );
    expect(answer).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
  });

  test('as JSON is refused', async () => {
    const answer = await org.anonymous.post(INTROSPECT, { body: { token: 'a' } });
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
  });

  test('by a client whose app was deactivated is refused', async () => {
    const gone = await newServiceClient(service, org, { scopes: SCOPES });
    const token = await gone.token('users.read');
    expect((await org.admin.post(`/api/v1/apps/${gone.id}/lifecycle/deactivate`)).status).toBe(200);
    expect(await gone.post('introspect', { token })).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
  });
});
