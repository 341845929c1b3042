import { describe, expect, test } from 'vitest';
import { behind } from '../support/behind.ts';
import type { TestResponse } from '../support/client.ts';
import { openSession } from '../support/session-tokens.ts';
import { HELD_APP, PARENT_CHANGES, REFUSED_GRANT as REFUSED, USER } from '../support/token-changes.ts';
import { useService } from '../support/use-service.ts';
import {
  newCode,
  newProofKey,
  newUserApp,
  payloadOf,
  redeem,
  refresh,
  TOKEN,
  tokensOf,
  type UserApp,
} from '../support/user-tokens.ts';

/**
 * A token request decides by the data that it read with the grant, without locks (ADR 0072). In these races, a change
 * commits while the request waits for a lock, so the guard must notice it.
 */
const { service, org } = useService();

const SCOPES = ['openid', 'profile', 'offline_access', 'svc.users.read'];
const newApp = (): Promise<UserApp> => newUserApp(org, { scopes: ['svc.users.read'] });

const GRANTS = {
  'a code': async (app: UserApp) => {
    const code = await newCode(service, org, app, { scopes: SCOPES });
    return () => redeem(org, app, code);
  },
  'a refresh token': async (app: UserApp) => {
    const { refresh_token: token } = await tokensOf(service, org, app, { scopes: SCOPES });
    return () => refresh(org, app, token);
  },
} as const;

const query = (text: string, values: readonly unknown[]) =>
  service.database.pool.query<Record<string, unknown>>(text, [...values]);

/** The parameters of each change are the org, the user and the app. */
const sendBehind = (change: string, app: UserApp, send: () => Promise<TestResponse>): Promise<TestResponse> =>
  behind(service, change, [org.id, app.userId, app.id], send);

describe.each(Object.entries(GRANTS))('what %s is exchanged for', (_, hold) => {
  test.each(PARENT_CHANGES)('%s: nothing is issued', async (_name, change, refused) => {
    const app = await newApp();
    expect(await sendBehind(change, app, await hold(app))).toMatchObject(refused);
  });

  test('the user is renamed: the tokens have the new name', async () => {
    const app = await newApp();
    const rename = `update users set profile = jsonb_set(profile, '{firstName}', '"Augusta"') where ${USER}`;
    const { body, status } = await sendBehind(rename, app, await hold(app));
    expect(status).toBe(200);
    expect(payloadOf(body.id_token)).toMatchObject({ name: 'Augusta Lovelace' });
  });

  test('the app gets a policy that denies: nothing is issued', async () => {
    const app = await newApp();
    const policy = await org.admin.post('/api/v1/policies', {
      body: { type: 'ACCESS_POLICY', name: `deny ${app.id}` },
    });
    expect(policy.status).toBe(200);
    const { body: rules } = await org.admin.get(`/api/v1/policies/${policy.body.id}/rules`);
    const [rule] = rules;
    await org.admin.put(`/api/v1/policies/${policy.body.id}/rules/${rule.id}`, {
      body: { ...rule, actions: { appSignOn: { access: 'DENY' } } },
    });
    service.clock.advance(1_100);
    const assign = `${HELD_APP}, former as (
        delete from app_policies p using held
          where p.org_id = held.org_id and p.app_id = held.id and p.type = 'ACCESS_POLICY')
      insert into app_policies (org_id, app_id, type, policy_id)
      select org_id, id, 'ACCESS_POLICY', '${policy.body.id}' from held`;
    const answer = await sendBehind(assign, app, await hold(app));
    expect(answer).toMatchObject({ status: 401, body: { error: 'access_denied' } });
  });
});

describe('a code', () => {
  test.each([
    ['is used', 'update authorization_codes set used_at = now()'],
    ['ends', 'delete from authorization_codes'],
  ])('%s: nothing is issued', async (_, change) => {
    const app = await newApp();
    const send = await GRANTS['a code'](app);
    expect(await sendBehind(`${change} where org_id = $1 and user_id = $2 and $3 <> ''`, app, send)).toMatchObject(
      REFUSED,
    );
  });

  test('of a session that ends: nothing is issued', async () => {
    const app = await newApp();
    const { externalSessionId: sessionExternalId } = await openSession(service, org, { userId: app.userId });
    const held = await newCode(service, org, app, { sessionExternalId });
    const end = `delete from sessions where org_id = $1 and user_id = $2 and $3 <> ''`;
    expect(await sendBehind(end, app, () => redeem(org, app, held))).toMatchObject(REFUSED);
  });

  test('of a user who has reached the maximum of refresh tokens meanwhile ends the oldest', async () => {
    const app = await newApp();
    await tokensOf(service, org, app);
    const stored = await query(
      `select string_agg(column_name, ', ') as names from information_schema.columns
        where table_name = 'refresh_tokens' and is_generated = 'NEVER' and column_name <> 'id'`,
      [],
    );
    const names = String(stored.rows[0]?.['names']);
    const fill = `${HELD_APP} insert into refresh_tokens (id, ${names}) select t.id || n, ${names}
      from refresh_tokens t, generate_series(1, 99) n
      where t.org_id = $1 and t.user_id = $2 and exists (select from held)`;
    expect((await sendBehind(fill, app, await GRANTS['a code'](app))).status).toBe(200);
    const count = 'select count(*)::integer as count from refresh_tokens where org_id = $1 and user_id = $2';
    expect((await query(count, [org.id, app.userId])).rows).toEqual([{ count: 100 }]);
  });
});

describe('a refresh token', () => {
  test.each([
    ['is rotated', 'update refresh_tokens set generation = generation + 1, rotated_at = now()'],
    ['ends', 'delete from refresh_tokens'],
    ['expires', `update refresh_tokens set idle_expires_at = created_at - interval '1 hour'`],
  ])('%s: nothing is issued', async (_, change) => {
    const app = await newApp();
    const send = await GRANTS['a refresh token'](app);
    expect(await sendBehind(`${change} where org_id = $1 and user_id = $2 and $3 <> ''`, app, send)).toMatchObject(
      REFUSED,
    );
  });
});

test.each([
  ['a code', 'update authorization_codes set used_at = now()'],
  ['a refresh token', 'update refresh_tokens set generation = generation + 1, rotated_at = now()'],
] as const)('%s that is used while its own use is refused is refused as used before', async (held, change) => {
  const app = await newApp();
  const send = await GRANTS[held](app);
  await query('delete from app_users where org_id = $1 and app_id = $2', [org.id, app.id]);
  const answer = await sendBehind(`${change} where org_id = $1 and user_id = $2 and $3 <> ''`, app, send);
  // The answer to a grant that was not used meanwhile is `access_denied`.
  expect(answer).toMatchObject(REFUSED);
  const count = 'select count(*)::integer as count from refresh_tokens where org_id = $1 and user_id = $2';
  expect((await query(count, [org.id, app.userId])).rows).toEqual([{ count: 0 }]);
});

test('a DPoP proof that comes with two codes, at once or one after the other, is good for one', async () => {
  const app = await newUserApp(org, { settings: { dpop_bound_access_tokens: true } });
  const key = await newProofKey(service);
  const claims = { htm: 'POST', htu: `${org.baseUrl}${TOKEN}` };
  const hold = () => newCode(service, org, app);
  const unanswered = await redeem(org, app, await hold(), {}, { headers: { dpop: await key.proof(claims) } });
  const nonce = unanswered.headers['dpop-nonce'];
  for (const _round of [1, 2, 3]) {
    const headers = { dpop: await key.proof({ ...claims, nonce }) };
    const codes = [await hold(), await hold(), await hold()];
    const answers = await Promise.all(codes.map((code) => redeem(org, app, code, {}, { headers })));
    answers.push(await redeem(org, app, await hold(), {}, { headers }));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400, 400, 400]);
    const refused = answers.filter(({ status }) => status === 400);
    for (const { body } of refused) {
      expect(body.error_description).toBe('The DPoP proof JWT has already been used.');
    }
  }
});
