import { describe, expect, test } from 'vitest';
import { beforeTests } from '../support/before-tests.ts';
import { newCustomServer } from '../support/custom-servers.ts';
import { newServiceApp, postForm } from '../support/service-apps.ts';
import { ME, openSession } from '../support/session-tokens.ts';
import { useService } from '../support/use-service.ts';
import {
  newCode,
  newProofKey,
  newUserApp,
  payloadOf,
  redeem,
  requestTokens,
  TOKEN,
  withProof,
} from '../support/user-tokens.ts';

const { service, org } = useService({ isShared: false });
const app = beforeTests(() => newUserApp(org));
const publicApp = beforeTests(() => newUserApp(org, { authMethod: 'none', applicationType: 'native' }));

const refused = (error: string, description: string, status = 400) => ({
  status,
  body: { error, error_description: description },
});
const INVALID = refused('invalid_grant', 'The authorization code is invalid or has expired.');
const VERIFIER = 'a'.repeat(43);

describe('row 64: a code', () => {
  test.each([
    ['that nobody was given', { code: 'A'.repeat(43) }, INVALID],
    ['of another form', { code: 'x' }, INVALID],
    ['that is missing', { code: undefined }, refused('invalid_request', "The required parameter 'code' is missing.")],
    [
      'with another redirection',
      { redirect_uri: 'https://app.example/callback/' },
      refused(
        'invalid_grant',
        "The 'redirect_uri' does not match the redirection URI used in the authorization request.",
      ),
    ],
  ])('%s is refused', async (_, changes, answer) => {
    expect(await redeem(org, app, await newCode(service, org, app), changes)).toMatchObject(answer);
  });

  test('whose session was ended since is refused: its app was told of that', async () => {
    const session = await openSession(service, org, { userId: app.userId });
    const { externalSessionId: sessionExternalId } = session;
    const codes = [1, 2].map(() => newCode(service, org, app, { sessionExternalId }));
    const [first, second] = await Promise.all(codes);
    if (first === undefined || second === undefined) throw new Error('there are no codes');
    expect((await redeem(org, app, first)).status).toBe(200);
    expect((await session.client.del(ME)).status).toBe(204);
    expect(await redeem(org, app, second)).toMatchObject(INVALID);
  });

  test('of another client is refused, and stays that client’s', async () => {
    const other = await newUserApp(org);
    const code = await newCode(service, org, app);
    expect(await redeem(org, other, code)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    expect((await redeem(org, app, code)).status).toBe(200);
  });

  test('is over after a minute', async () => {
    const code = await newCode(service, org, app);
    service.clock.advance(60_000);
    expect(await redeem(org, app, code)).toMatchObject(INVALID);
  });

  test('of another server is refused at this one', async () => {
    const server = await newCustomServer(org, { grantTypes: ['authorization_code'] });
    const code = await newCode(service, org, app);
    expect(await redeem(org, app, code, {}, { path: `${server.oauth}/v1/token` })).toMatchObject(INVALID);
    const theirs = await newCode(service, org, app, { serverId: server.id });
    expect(await redeem(org, app, theirs)).toMatchObject(INVALID);
  });

  test('of another org is refused', async () => {
    const elsewhere = await service.newOrg();
    const theirs = await newUserApp(elsewhere);
    expect(await redeem(org, app, await newCode(service, elsewhere, theirs))).toMatchObject(INVALID);
  });
});

describe('row 63: the verifier', () => {
  const failed = refused('invalid_grant', 'PKCE verification failed.');

  test.each([
    ['another one', VERIFIER, failed],
    ['42 characters', VERIFIER.slice(1), failed],
    ['129 characters', 'a'.repeat(129), failed],
    ['none', undefined, refused('invalid_request', 'PKCE code verifier is required by the application.')],
  ])('%s is refused, and the code can still be redeemed', async (_, verifier, answer) => {
    const code = await newCode(service, org, publicApp);
    expect(await redeem(org, publicApp, code, { code_verifier: verifier })).toMatchObject(answer);
    expect((await redeem(org, publicApp, code)).status).toBe(200);
  });

  test('without a challenge is refused, and a public client without both', async () => {
    const unchallenged = await newCode(service, org, app, { codeChallenge: null });
    const answer = refused(
      'invalid_request',
      'PKCE code challenge should be specified in the authorize request for code verification.',
    );
    expect(await redeem(org, app, unchallenged)).toMatchObject(answer);
    expect((await redeem(org, app, unchallenged, { code_verifier: undefined })).status).toBe(200);
    const open = await newCode(service, org, publicApp, { codeChallenge: null });
    expect(await redeem(org, publicApp, open, { code_verifier: undefined })).toMatchObject(failed);
  });
});

describe('the client', () => {
  test.each([
    ['a wrong secret', { secret: 'wrong' }],
    ['no secret where it has one', { secret: undefined }],
  ])('with %s is refused', async (_, changes) => {
    const code = await newCode(service, org, app);
    expect(await redeem(org, { ...app, ...changes }, code)).toMatchObject({
      status: 401,
      body: { error: 'invalid_client' },
    });
  });

  test('row 68: that is a service app comes with its key alone, nobody with a secret for own tokens', async () => {
    const secretive = await newServiceApp(org, { authMethod: 'client_secret_basic' });
    const basic = Buffer.from(`${secretive.id}:${secretive.secret ?? ''}`).toString('base64');
    const ask = (grantType: string) =>
      postForm(
        org.anonymous,
        TOKEN,
        { grant_type: grantType, code: 'x' },
        { headers: { authorization: `Basic ${basic}` } },
      );
    for (const grantType of ['client_credentials', 'authorization_code', 'refresh_token']) {
      expect(await ask(grantType)).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
    }
    const own = await requestTokens(org, app, { grant_type: 'client_credentials', scope: 'svc.users.read' });
    expect(own).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
  });

  test('without the grant type is refused', async () => {
    const own = await newUserApp(org, { settings: { grant_types: ['authorization_code'], refresh_token: undefined } });
    const answer = await requestTokens(org, own, { grant_type: 'refresh_token', refresh_token: 'x' });
    expect(answer).toMatchObject({ status: 400, body: { error: 'unauthorized_client' } });
    const password = await requestTokens(org, own, { grant_type: 'password', username: 'x', password: 'x' });
    expect(password).toMatchObject({ status: 400, body: { error: 'unauthorized_client' } });
  });

  test('whose user does not have the app any more is refused, and the log says why', async () => {
    const own = await newUserApp(org);
    const code = await newCode(service, org, own);
    await org.admin.del(`/api/v1/apps/${own.id}/users/${own.userId}`);
    expect(await redeem(org, own, code)).toMatchObject(
      refused('access_denied', 'User is not assigned to the client application.'),
    );
    const [event] = await org.systemLog(`target.id eq "${own.id}" and outcome.reason eq "user_not_assigned"`);
    expect(event.target).toContainEqual(expect.objectContaining({ id: own.userId, type: 'User' }));
    expect(event.debugContext.debugData.grantType).toBe('authorization_code');
  });

  test('row 66: whose app lost a scope since gets nothing', async () => {
    const own = await newUserApp(org);
    const code = await newCode(service, org, own, { scopes: ['openid', 'svc.users.read'] });
    expect(await redeem(org, own, code)).toMatchObject({ status: 400, body: { error: 'invalid_scope' } });
  });
});

describe('a code of a user', () => {
  test.each(['suspend', 'deactivate', 'expire_password'])('who has met %s is refused', async (operation) => {
    const own = await newUserApp(org);
    const code = await newCode(service, org, own);
    expect((await org.admin.post(`/api/v1/users/${own.userId}/lifecycle/${operation}`)).status).toBe(200);
    expect(await redeem(org, own, code)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  });

  test('whose credentials were voided since is refused', async () => {
    const own = await newUserApp(org);
    const code = await newCode(service, org, own);
    await org.admin.del(`/api/v1/users/${own.userId}/sessions?oauthTokens=true`);
    expect(await redeem(org, own, code)).toMatchObject(INVALID);
  });
});

describe('row 74: a code that is bound to a key', () => {
  test('takes a proof of that key, and of no other', async () => {
    const [key, other] = [await newProofKey(service), await newProofKey(service)];
    const code = await newCode(service, org, publicApp, { dpopJkt: key.jkt });
    const ask = (headers: Readonly<Record<string, string>>) => redeem(org, publicApp, code, {}, { headers });
    expect(await ask({})).toMatchObject({ status: 400, body: { error: 'invalid_dpop_proof' } });
    expect(await withProof(org, other, TOKEN, ask)).toMatchObject(INVALID);
    const answer = await withProof(org, key, TOKEN, ask);
    expect(answer).toMatchObject({ status: 200, body: { token_type: 'DPoP' } });
    expect(payloadOf(answer.body.access_token).cnf).toEqual({ jkt: key.jkt });
  });
});
