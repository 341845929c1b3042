import { openTestDatabase, type TestDatabase, type TestDatabaseOptions } from './database.ts';
import { startTestService, type TestService } from './service.ts';
import { newServiceApp, requestToken } from './service-apps.ts';
import { openSession } from './session-tokens.ts';
import { newCode, newUserApp, redeem, refresh, requestTokens, tokensOf } from './user-tokens.ts';
import { CREDENTIALS, PASSWORD } from './users.ts';

interface Answer {
  readonly status: number;
}

export interface HotPath {
  readonly name: string;
  /** Runs before the request and creates what the request consumes, such as a code. */
  readonly prepare?: () => Promise<void>;
  readonly call: (number: number) => Promise<Answer>;
}

export interface HotPathWorld {
  readonly service: TestService;
  readonly database: TestDatabase;
  readonly paths: Readonly<Record<HotPathName, HotPath>>;
  readonly close: () => Promise<void>;
}

export const HOT_PATHS = [
  'read a user',
  'update a user',
  'create a user',
  'refresh a session',
  'client credentials',
  'exchange a code',
  'rotate a refresh token',
  'introspect a token',
  'userinfo',
  'sign in',
] as const;
export type HotPathName = (typeof HOT_PATHS)[number];

/** Starts a service on a database of its own, with the data that the hot paths use. */
export async function openHotPaths(
  options: TestDatabaseOptions & { readonly maximumConnections?: number } = {},
): Promise<HotPathWorld> {
  const database = await openTestDatabase(options);
  const { maximumConnections } = options;
  const service = await startTestService({
    database,
    ...(maximumConnections === undefined ? {} : { maximumConnections }),
  });
  const { org } = service;
  const created = await org.createUser({ credentials: CREDENTIALS });
  const user = { id: created.id, login: created.profile.login };
  const client = await newServiceApp(org);
  const app = await newUserApp(org);
  const tokens = await tokensOf(service, org, app);
  let refreshToken = tokens.refresh_token;
  let code = await newCode(service, org, app);
  const session = await openSession(service, org, { userId: user.id });
  const profileOf = (number: number) => ({
    firstName: 'Ada',
    lastName: 'Lovelace',
    login: `hot${number}@example.com`,
    email: `hot${number}@example.com`,
  });
  const calls: Readonly<Record<HotPathName, Omit<HotPath, 'name'>>> = {
    'read a user': { call: () => org.admin.get(`/api/v1/users/${user.id}`) },
    'update a user': {
      call: (number) =>
        org.admin.post(`/api/v1/users/${user.id}`, { body: { profile: { department: `D ${number}` } } }),
    },
    'create a user': {
      call: (number) => org.admin.post('/api/v1/users?activate=false', { body: { profile: profileOf(number) } }),
    },
    'refresh a session': { call: () => session.client.post('/api/v1/sessions/me/lifecycle/refresh') },
    'client credentials': { call: () => requestToken(org, client, service.clock.now()) },
    'exchange a code': {
      prepare: async () => {
        code = await newCode(service, org, app);
      },
      call: () => redeem(org, app, code),
    },
    'rotate a refresh token': {
      call: async () => {
        const answer = await refresh(org, app, refreshToken);
        refreshToken = answer.body.refresh_token;
        return answer;
      },
    },
    'introspect a token': {
      call: () => requestTokens(org, app, { token: tokens.access_token }, { path: '/oauth2/v1/introspect' }),
    },
    userinfo: {
      call: () => org.client({ authorization: `Bearer ${tokens.access_token}` }).get('/oauth2/v1/userinfo'),
    },
    'sign in': {
      call: () => org.anonymous.post('/api/v1/authn', { body: { username: user.login, password: PASSWORD } }),
    },
  };
  return {
    service,
    database,
    paths: Object.fromEntries(HOT_PATHS.map((name) => [name, { name, ...calls[name] }])) as Record<
      HotPathName,
      HotPath
    >,
    close: async () => {
      await service.close();
      await database.close();
    },
  };
}
