import { describe, expect, test } from 'vitest';
import { assign } from '../support/authorization.ts';
import { beforeTests } from '../support/before-tests.ts';
import { isOnCitus } from '../support/citus.ts';
import { newCustomServer } from '../support/custom-servers.ts';
import { requireFactor } from '../support/second-factors.ts';
import { useService } from '../support/use-service.ts';
import {
  newProofKey,
  newUserApp,
  payloadOf,
  refresh,
  requestTokens,
  TOKEN,
  type UserApp,
  withProof,
} from '../support/user-tokens.ts';
import { ATTEMPTS_TO_LOCKOUT, CREDENTIALS, PASSWORD } from '../support/users.ts';

const { service, org } = useService({ isShared: false });
const app = beforeTests(() => newUserApp(org, { settings: SETTINGS }));

const SETTINGS = { grant_types: ['authorization_code', 'refresh_token', 'password'] };
const REFUSED = {
  status: 400,
  body: { error: 'invalid_grant', error_description: 'The credentials provided were invalid.' },
};

type Changes = Readonly<Record<string, string | undefined>>;

const signIn = (
  as: UserApp = app,
  changes: Changes = {},
  path = TOKEN,
  headers: Readonly<Record<string, string>> = {},
) =>
  requestTokens(
    org,
    as,
    { grant_type: 'password', username: as.login, password: PASSWORD, scope: 'openid offline_access', ...changes },
    { headers, path },
  );

describe('the password grant', () => {
  test('gives tokens of the user, which can be refreshed', async () => {
    const { body, status } = await signIn();
    expect(status).toBe(200);
    expect(payloadOf(body.access_token)).toMatchObject({ uid: app.userId, cid: app.id });
    expect(payloadOf(body.id_token)).toMatchObject({ sub: app.userId, amr: ['pwd'] });
    expect((await refresh(org, app, body.refresh_token)).status).toBe(200);
    const [event] = await org.systemLog(
      `eventType eq "app.oauth2.token.grant.access_token" and target.id eq "${app.id}"`,
    );
    expect(event.debugContext.debugData.grantType).toBe('password');
    expect(await org.systemLog(`eventType eq "user.session.start" and actor.id eq "${app.userId}"`)).toHaveLength(1);
  });

  test('refuses whom a policy asks for a second factor', async () => {
    const asked = await newUserApp(org, { settings: SETTINGS });
    await requireFactor(service, org, [asked.userId]);
    expect(await signIn(asked)).toMatchObject(REFUSED);
    expect((await signIn()).status).toBe(200);
  });

  test.each<[string, Changes]>([
    ['a wrong password', { password: 'Wrong-0-Password' }],
    ['a login that nobody has', { username: 'nobody@example.com' }],
  ])('refuses %s with one answer', async (_, changes) => {
    expect(await signIn(app, changes)).toMatchObject(REFUSED);
  });

  test('refuses a user who may not sign in, with the same answer', async () => {
    for (const operation of ['suspend', 'expire_password']) {
      const own = await newUserApp(org, { settings: SETTINGS });
      await org.admin.post(`/api/v1/users/${own.userId}/lifecycle/${operation}`);
      expect(await signIn(own)).toMatchObject(REFUSED);
    }
  });

  test('counts failures towards the lockout, and is locked by it', async () => {
    const elsewhere = await service.newOrg();
    const own = await newUserApp(elsewhere, { settings: SETTINGS });
    const attempt = (password: string) =>
      requestTokens(elsewhere, own, { grant_type: 'password', username: own.login, password, scope: 'openid' });
    for (let tries = 0; tries < ATTEMPTS_TO_LOCKOUT; tries += 1) {
      service.clock.advance(61_000);
      expect(await attempt('Wrong-0-Password')).toMatchObject(REFUSED);
    }
    service.clock.advance(61_000);
    expect(await attempt(PASSWORD)).toMatchObject(REFUSED);
  });

  test('is limited as the sign-in is', async () => {
    const elsewhere = await service.newOrg();
    const own = await newUserApp(elsewhere, { settings: SETTINGS });
    const form = { grant_type: 'password', username: own.login, password: 'Wrong-0-Password', scope: 'openid' };
    // A new minute may begin during the test, so there are enough tries for two minutes.
    let last = await requestTokens(elsewhere, own, form);
    for (let tries = 0; tries < 202 && last.status === 400; tries += 1) {
      last = await requestTokens(elsewhere, own, form);
    }
    expect(last).toMatchObject({ status: 429, body: { error: 'invalid_grant' } });
  });

  test('gives nothing to a user who does not have the app', async () => {
    const user = await org.createUser({ credentials: CREDENTIALS });
    const username = user.profile.login;
    expect(await signIn(app, { username })).toMatchObject({ status: 400, body: { error: 'access_denied' } });
    await assign(org, app, user.id);
    expect((await signIn(app, { username })).status).toBe(200);
  });

  // A trigger on a shard must not change other tables.
  test.skipIf(isOnCitus)('gives nothing for a password that was changed since it was proved', async () => {
    const own = await newUserApp(org, { settings: SETTINGS });
    const { pool } = service.database;
    // This trigger imitates a password change right after the verification, before the grant takes its locks.
    await pool.query(`create function change_password() returns trigger language plpgsql as $$
      begin
        update users set valid_after = clock_timestamp() where org_id = new.org_id and id = new.user_id;
        return null;
      end $$`);
    await pool.query(
      'create trigger change_password after insert on session_tokens for each row execute function change_password()',
    );
    expect(await signIn(own)).toMatchObject(REFUSED);
    await pool.query('drop trigger change_password on session_tokens');
    expect((await signIn(own)).status).toBe(200);
  });

  test('leaves nothing behind that a session could be made of', async () => {
    const own = await newUserApp(org, { settings: SETTINGS });
    expect((await signIn(own)).status).toBe(200);
    const { rows } = await service.database.pool.query('select from session_tokens where user_id = $1', [own.userId]);
    expect(rows).toEqual([]);
  });

  test('asks for the key before the password', async () => {
    const own = await newUserApp(org, { settings: { ...SETTINGS, dpop_bound_access_tokens: true } });
    expect(await signIn(own)).toMatchObject({ status: 400, body: { error: 'invalid_dpop_proof' } });
    expect(await org.systemLog(`eventType eq "user.session.start" and actor.id eq "${own.userId}"`)).toEqual([]);
    const key = await newProofKey(service);
    const { body, status } = await withProof(org, key, TOKEN, (headers) => signIn(own, {}, TOKEN, headers));
    expect(status).toBe(200);
    expect(payloadOf(body.access_token).cnf).toEqual({ jkt: key.jkt });
    expect(await org.systemLog(`eventType eq "user.session.start" and actor.id eq "${own.userId}"`)).toHaveLength(1);
  });

  test.each(['username', 'password'])('asks for %s', async (name) => {
    expect(await signIn(app, { [name]: undefined })).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
  });
});

test('a scope that asks for consent is not to be had where the app asks for it', async () => {
  const server = await newCustomServer(org, {
    grantTypes: ['password'],
    scopes: { 'orders.read': {}, 'orders.own': { consent: 'REQUIRED' } },
  });
  const path = `${server.oauth}/v1/token`;
  const asking = await newUserApp(org, { settings: { ...SETTINGS, consent_method: 'REQUIRED' } });
  const scope = 'openid orders.own';
  expect(await signIn(asking, { scope }, path)).toMatchObject({
    status: 400,
    body: { error: 'consent_required', error_description: expect.stringContaining('[orders.own]') },
  });
  expect((await signIn(asking, { scope: 'openid orders.read' }, path)).status).toBe(200);
  expect((await signIn(app, { scope }, path)).status).toBe(200);
});
