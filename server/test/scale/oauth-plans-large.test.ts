import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  dropOldAuthorizationCodes,
  dropOldAuthorizationRequests,
  dropOldRefreshTokens,
  dropVoidRefreshTokens,
  FIRST_TOKEN,
} from '../../src/oauth/index.ts';
import { newGroup } from '../support/app-assignments.ts';
import { answered, ask, newBrowser, newOidcApp } from '../support/authorization.ts';
import { beforeTests } from '../support/before-tests.ts';
import type { TestResponse } from '../support/client.ts';
import { good, newCustomServer } from '../support/custom-servers.ts';
import { type SeenStatement, spyOnStatements } from '../support/spy-on-statements.ts';
import { useService } from '../support/use-service.ts';
import { newUserApp, refresh, tokensOf } from '../support/user-tokens.ts';

const ROWS = Number(process.env['PLAN_ROWS'] ?? 20_000);
/** The limit on the number of rows that a statement reads. */
const FEW = 1_000;

const { service, org } = useService({ isShared: false });

const sql = (text: string, ...values: unknown[]) => service.database.pool.query(text, values);

async function fill(): Promise<void> {
  const [scope] = await good(org.admin.get(`${server.path}/scopes?q=orders.read`));
  const client = await service.database.pool.connect();
  try {
    // Foreign key checks are off, because they would take most of the time.
    await client.query('set session_replication_role = replica');
    await client.query(
      `insert into users (org_id, id, type_id, status, login, login_key, short_login_key, normal_form_version, profile,
         provider_type, provider_name, has_password, created_at, last_updated_at, valid_after)
       select a.org_id, '00u' || lpad(n::text, 14, '0') || right(a.id, 3), a.type_id, 'ACTIVE', n || '@many.example',
         n || '@many.example', n::text, a.normal_form_version, a.profile, a.provider_type, a.provider_name, false,
         a.created_at, a.last_updated_at, a.valid_after
       from users a cross join generate_series(1, $3::integer) n where a.org_id = $1 and a.id = $2`,
      [org.id, org.adminUserId, ROWS],
    );
    const many = `(select id, row_number() over (order by id)::text n from users
      where org_id = $1 and login like '%@many.example') u`;
    await client.query(
      `insert into app_users (org_id, app_id, user_id, scope, created_at, status_changed_at, last_updated_at)
       select $1, $2, id, 'USER', now(), now(), now() from ${many}`,
      [org.id, app.id],
    );
    await client.query(
      `insert into refresh_tokens (org_id, id, server_id, client_id, user_id, scopes, grant_type, auth_time, amr,
         details, created_at, last_updated_at, idle_expires_at)
       select $1, 'oarMany' || lpad(n, 13, '0'), case when n::integer % 2 = 0 then $3 else '' end, $2, id,
         '["openid", "orders.read"]', 'authorization_code', now(), '["pwd"]', '{}', now(), now(),
         now() + interval '7 days' from ${many}`,
      [org.id, app.id, server.id],
    );
    await client.query(
      `insert into user_consents (org_id, id, user_id, client_id, server_id, scope_id, decision, source, created_by,
         created_at, last_updated_at)
       select $1, 'oagMany' || lpad(n, 13, '0'), id, $2, $3, $4, 'GRANTED', 'END_USER', id, now(), now() from ${many}`,
      [org.id, app.id, server.id, scope.id],
    );
    await client.query(
      `insert into authorization_codes (org_id, code_hash, server_id, client_id, user_id, scopes, auth_time, amr,
         details, created_at, expires_at)
       select $1, sha256(n::bytea), '', $2, id, '["openid"]', now(), '["pwd"]', '{}', now(), now() + interval '1 minute'
       from ${many}`,
      [org.id, app.id],
    );
    await client.query(
      `insert into authorization_requests (org_id, request_hash, kind, server_id, client_id, parameters, browser_hash,
         created_at, expires_at)
       select $1, sha256(n::bytea), 'INTERACTION', '', $2, '{}', sha256(('b' || n)::bytea), now(),
         now() + interval '1 hour' from ${many}`,
      [org.id, app.id],
    );
    await client.query(
      `insert into groups (org_id, id, type, name, name_key, profile, created_at, last_updated_at,
         last_membership_updated_at)
       select g.org_id, '00g' || lpad(n::text, 14, '0') || right(g.id, 3), g.type, 'Many ' || n, 'many ' || n,
         g.profile, g.created_at, g.last_updated_at, g.last_membership_updated_at
       from groups g cross join generate_series(1, $3::integer) n where g.org_id = $1 and g.id = $2`,
      [org.id, (await newGroup(org)).id, ROWS],
    );
    await client.query('set session_replication_role = origin');
    await client.query('analyze');
  } finally {
    client.release(true);
  }
}

const server = beforeTests(() =>
  newCustomServer(org, {
    grantTypes: ['authorization_code'],
    scopes: { 'orders.read': {} },
    claims: { teams: { valueType: 'GROUPS', group_filter_type: 'STARTS_WITH', value: 'Many' } },
  }),
);
const app = beforeTests(() => newUserApp(org));
beforeAll(async () => {
  await fill();
});
afterEach(() => vi.restoreAllMocks());

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly Plans?: readonly PlanNode[];
}

const rowsRead = (node: PlanNode): number => {
  const { 'Actual Loops': loops, 'Actual Rows': rows } = node;
  const left = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
  const own = node['Relation Name'] === undefined || node['Node Type'] === 'ModifyTable' ? 0 : (rows + left) * loops;
  return own + (node.Plans ?? []).reduce((sum, child) => sum + rowsRead(child), 0);
};

const outline = (node: PlanNode, depth = 0): string =>
  [
    [' '.repeat(depth), node['Node Type'], node['Relation Name'], node['Actual Rows'], node['Actual Loops']].join(' '),
    ...(node.Plans ?? []).map((child) => outline(child, depth + 1)),
  ].join('\n');

const OF_OAUTH = /refresh_tokens|consents|authorization_|groups|session_clients|app_users/;

async function askedBy(request: () => Promise<unknown>): Promise<SeenStatement[]> {
  const asked: SeenStatement[] = [];
  spyOnStatements((statement) => {
    if (OF_OAUTH.test(statement.text) && !/^ *insert|log_inputs/.test(statement.text)) asked.push(statement);
    return null;
  });
  await request();
  vi.restoreAllMocks();
  return asked;
}

/** Runs statements of a request again to get their plans, and expects that they read few rows. */
async function expectFew(request: () => Promise<unknown>): Promise<void> {
  const asked = await askedBy(request);
  expect(asked.length).toBeGreaterThan(0);
  for (const { text, values } of asked) {
    const client = await service.database.pool.connect();
    try {
      await client.query('begin');
      const { rows } = await client.query(`explain (analyze, format json) ${text}`, [...values]);
      const { Plan: plan } = rows[0]['QUERY PLAN'][0];
      expect(rowsRead(plan), `${text}\n${outline(plan)}`).toBeLessThan(FEW);
    } finally {
      await client.query('rollback');
      client.release();
    }
  }
}

const ok = async (answer: Promise<TestResponse>): Promise<void> => {
  const { status, text } = await answer;
  if (status >= 400) throw new Error(`answered ${status}: ${text}`);
};

const LISTS = (): readonly (readonly [string, string])[] => {
  const one = `00u${'1'.padStart(14, '0')}${org.adminUserId.slice(-3)}`;
  return [
    ['tokens of an app', `/api/v1/apps/${app.id}/tokens?limit=20`],
    ['tokens of a user and an app', `/api/v1/users/${one}/clients/${app.id}/tokens`],
    ['tokens of a server and an app', `/api/v1/authorizationServers/${server.id}/clients/${app.id}/tokens?limit=20`],
    ['grants of a user', `/api/v1/users/${one}/grants`],
    ['grants of a user and an app', `/api/v1/users/${one}/clients/${app.id}/grants`],
    ['clients of a user', `/api/v1/users/${one}/clients`],
    ['clients of a server', `/api/v1/authorizationServers/${server.id}/clients`],
  ];
};

describe('lists', () => {
  test('read about as much as they show', async () => {
    for (const [, path] of LISTS()) await expectFew(() => ok(org.admin.get(path)));
  });

  test('also where hardly anything holds any more, once the sweep has come by', async () => {
    const kept = await newUserApp(org);
    const { refresh_token: held } = await tokensOf(service, org, kept);
    await sql('update apps set valid_after = clock_timestamp() where org_id = $1 and id = $2', org.id, app.id);
    const { db } = service.application;
    await expectFew(() => dropVoidRefreshTokens(db, FIRST_TOKEN, 100));
    for (let place: typeof FIRST_TOKEN | null = FIRST_TOKEN; place !== null; ) {
      place = await dropVoidRefreshTokens(db, place);
    }
    expect(
      (await sql('select 1 from refresh_tokens where org_id = $1 and client_id = $2', org.id, app.id)).rows,
    ).toEqual([]);
    expect((await refresh(org, kept, held)).status).toBe(200);
    for (const [, path] of LISTS()) await expectFew(() => ok(org.admin.get(path)));
  });
});

describe('sweeps', () => {
  test.each([
    ['refresh tokens', dropOldRefreshTokens],
    ['codes', dropOldAuthorizationCodes],
    ['requests', dropOldAuthorizationRequests],
  ])('of %s read none where none is over', async (_, drop) => {
    await expectFew(() => drop(service.application.db, new Date(Date.now() - 60_000)));
  });

  test.each([
    ['refresh_tokens', 'idle_expires_at', dropOldRefreshTokens],
    ['authorization_codes', 'expires_at', dropOldAuthorizationCodes],
    ['authorization_requests', 'expires_at', dropOldAuthorizationRequests],
  ] as const)('of %s read what they remove', async (table, column, drop) => {
    await sql(
      `update ${table} set ${column} = now() - interval '1 day' where ctid in (select ctid from ${table} limit 100)`,
    );
    await expectFew(() => drop(service.application.db, new Date(Date.now() - 60_000), 50));
  });
});

describe('what is issued', () => {
  test('a request, a code, tokens with groups, a refresh', async () => {
    const own = await newOidcApp(org, { settings: { grant_types: ['authorization_code', 'refresh_token'] } });
    const browser = await newBrowser(service, org, own);
    const place = { path: `${server.oauth}/v1/token` };
    await expectFew(async () => {
      expect(answered(await ask(browser.client, own, { prompt: 'login' })).to).toBe('/signin');
      expect(answered(await ask(browser.client, own)).parameters).toHaveProperty('code');
    });
    const scopes = ['openid', 'offline_access', 'orders.read'];
    const user = { ...own, userId: browser.userId, login: browser.login };
    let token = '';
    await expectFew(async () => {
      token = (await tokensOf(service, org, user, { serverId: server.id, scopes }, place)).refresh_token;
    });
    await expectFew(() => ok(refresh(org, own, token, {}, place)));
  });

  test('what ends with a user: sessions, grants, tokens of an app', async () => {
    const browser = await newBrowser(service, org, app);
    await expectFew(() => ok(org.admin.del(`/api/v1/users/${browser.userId}/sessions`)));
    await expectFew(() => ok(org.admin.del(`/api/v1/users/${browser.userId}/grants`)));
    await expectFew(() => ok(org.admin.del(`/api/v1/users/${browser.userId}/clients/${app.id}/tokens`)));
  });
});
