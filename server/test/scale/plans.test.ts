import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { startTestService, type TestOrg, type TestService } from '../support/service.ts';
import { newServiceApp, requestToken, type ServiceApp } from '../support/service-apps.ts';
import { type OpenSession, openSession } from '../support/session-tokens.ts';
import { newCode, newUserApp, redeem, refresh, requestTokens, tokensOf, type UserApp } from '../support/user-tokens.ts';
import { CREDENTIALS, PASSWORD } from '../support/users.ts';

/** PostgreSQL plans a prepared statement five times before it considers a plan for all values. */
const WARM_UP = 8;
const CALLS = 20;

let database: TestDatabase;
let service: TestService;
let org: TestOrg;
let user: { readonly id: string; readonly login: string };
let client: ServiceApp;
let app: UserApp;
let accessToken: string;
let refreshToken: string;
let session: OpenSession;

beforeAll(async () => {
  database = await openTestDatabase({
    // One connection runs every statement, so that each is prepared once.
    maximumConnections: 1,
    settings: { 'pg_stat_statements.track': 'all', 'pg_stat_statements.track_planning': 'on' },
  });
  await database.pool.query('create extension pg_stat_statements');
  service = await startTestService({ database, maximumConnections: 1 });
  org = service.org;
  const created = await org.createUser({ credentials: CREDENTIALS });
  user = { id: created.id, login: created.profile.login };
  client = await newServiceApp(org);
  app = await newUserApp(org);
  const tokens = await tokensOf(service, org, app);
  accessToken = tokens.access_token;
  refreshToken = tokens.refresh_token;
  session = await openSession(service, org, { userId: user.id });
});
afterAll(async () => {
  await service.close();
  await database.close();
});

const PATHS: readonly (readonly [name: string, call: (number: number) => Promise<{ readonly status: number }>])[] = [
  ['read a user', () => org.admin.get(`/api/v1/users/${user.id}`)],
  [
    'update a user',
    (number) => org.admin.post(`/api/v1/users/${user.id}`, { body: { profile: { department: `D ${number}` } } }),
  ],
  [
    'create a user',
    (number) =>
      org.admin.post('/api/v1/users?activate=false', {
        body: {
          profile: {
            firstName: 'Ada',
            lastName: 'Lovelace',
            login: `plan${number}@example.com`,
            email: `plan${number}@example.com`,
          },
        },
      }),
  ],
  ['refresh a session', () => session.client.post('/api/v1/sessions/me/lifecycle/refresh')],
  ['client credentials', () => requestToken(org, client, service.clock.now())],
  ['exchange a code', async () => redeem(org, app, await newCode(service, org, app))],
  [
    'rotate a refresh token',
    async () => {
      const answer = await refresh(org, app, refreshToken);
      refreshToken = answer.body.refresh_token;
      return answer;
    },
  ],
  ['introspect a token', () => requestTokens(org, app, { token: accessToken }, { path: '/oauth2/v1/introspect' })],
  ['userinfo', () => org.client({ authorization: `Bearer ${accessToken}` }).get('/oauth2/v1/userinfo')],
  ['sign in', () => org.anonymous.post('/api/v1/authn', { body: { username: user.login, password: PASSWORD } })],
];

interface Planned {
  readonly query: string;
  readonly calls: number;
  readonly plans: number;
}

/**
 * Statements that were executed by nearly every call, and planned by as many. A slow machine may run as many polls for
 * jobs meanwhile, which are no part of a request.
 */
const PLANNED = `select regexp_replace(query, '\\s+', ' ', 'g') as query, calls::integer, plans::integer
  from pg_stat_statements s join pg_database d on d.oid = s.dbid
  where d.datname = current_database() and calls >= $1 and plans > calls / 4 and query not ilike '%pg_stat%'
    and query not like '%from jobs where run_at <=%'
  order by query`;

let number = 0;
async function repeat(times: number, call: (number: number) => Promise<{ readonly status: number }>): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    number += 1;
    const { status } = await call(number);
    expect(status).toBeLessThan(300);
  }
  await service.drained();
}

test.each(PATHS)('%s: no statement is planned anew by each call', async (_name, call) => {
  await repeat(WARM_UP, call);
  await database.pool.query('select pg_stat_statements_reset()');
  await repeat(CALLS, call);
  const { rows } = await database.pool.query<Planned>(PLANNED, [CALLS]);
  expect(rows).toEqual([]);
});
