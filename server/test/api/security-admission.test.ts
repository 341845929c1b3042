import { beforeAll, expect, test } from 'vitest';
import { ADMISSION_PATHS, type AdmissionPath } from '../../src/access/admission.ts';
import { createApiToken } from '../../src/management/api-tokens/index.ts';
import { ATTRIBUTE_IDS } from '../../src/management/users/profile/attribute-values.ts';
import { TOKEN_WAYS } from '../matrices/admission-token-ways.ts';
import { handOut, newUser, signIn, step } from '../support/authn.ts';
import { answered, ask, newBrowser, newOidcApp } from '../support/authorization.ts';
import { lacksBackchannelGrant } from '../support/backchannel.ts';
import type { TestResponse } from '../support/client.ts';
import { expectOfEvery } from '../support/offenders.ts';
import { operatorContext } from '../support/org-settings.ts';
import type { TestOrg } from '../support/service.ts';
import { type ClientEndpoint, newServiceClient } from '../support/service-clients.ts';
import { exchange, ME, openSession, REFRESH_PATHS, signedIn } from '../support/session-tokens.ts';
import { useService } from '../support/use-service.ts';
import { ANOTHER_PASSWORD, PASSWORD, QUESTION, USER_STATUSES, userIn, userPath } from '../support/users.ts';

// This file tests attack 46, and parts of attacks 58 and 82 (docs/security-rows.md). The tests write the status
// directly to the database row, because a regular change of the status also voids tokens, and void tokens could hide a
// missing check.

const { service } = useService({ isShared: false });
let org: TestOrg;
/** The time limit for many cases, run one after another on a busy machine. */
const LONG = 300_000;

beforeAll(() => {
  org = service.org;
});

type Body = TestResponse['body'];
type Attempt = () => Promise<boolean>;

interface Way {
  /** The row of the admission table that this way must use, or null for API tokens. */
  readonly path: AdmissionPath | null;
  /** A further status in which the user is let in. */
  readonly also?: string;
  /** Returns the id of the credential's holder, and a function that tries the credential. */
  readonly hold: () => Promise<{ readonly id: string; readonly attempt: Attempt }>;
}

const isAnswered = ({ status }: TestResponse): boolean => status < 300;
const isGood = async (answer: Promise<TestResponse>): Promise<boolean> => {
  const given = await answer;
  if (given.status >= 500) throw new Error(given.text);
  return isAnswered(given);
};

const holding = (user: Body, attempt: Attempt): { id: string; attempt: Attempt } => ({ id: user.id, attempt });

const takingStep =
  (path: string, stateToken: string, more: object): Attempt =>
  () =>
    isGood(step(org.anonymous, path, { stateToken, ...more }));

async function recoveryOf(user: Body): Promise<string> {
  const recoveryToken = await handOut(org, 'password', user);
  return (await step(org.anonymous, '/recovery/token', { recoveryToken })).body.stateToken;
}

async function withSession(send: (session: { id: string; client: TestOrg['admin'] }) => Promise<TestResponse>) {
  const session = await openSession(service, org);
  return { id: session.userId, attempt: () => isGood(send(session)) };
}

const WAYS: Readonly<Record<string, Way>> = {
  'a password': {
    path: 'passwordSignIn',
    hold: async () => {
      const user = await newUser(org);
      return holding(user, async () => (await signIn(org.anonymous, user.profile.login)).body.status === 'SUCCESS');
    },
  },
  'the change of an expired password': {
    path: 'changeExpiredPassword',
    hold: async () => {
      const user = await userIn(org, 'PASSWORD_EXPIRED');
      const { stateToken } = (await signIn(org.anonymous, user.profile.login)).body;
      const passwords = { oldPassword: PASSWORD, newPassword: ANOTHER_PASSWORD };
      return holding(user, takingStep('/credentials/change_password', stateToken, passwords));
    },
  },
  'the first password after an activation': {
    path: 'activationToken',
    also: 'RECOVERY',
    hold: async () => {
      const user = await org.createUser();
      const { activationToken: token } = (await org.admin.post(`${userPath(user.id)}/lifecycle/reactivate`)).body;
      const { stateToken } = (await step(org.anonymous, '', { token })).body;
      return holding(user, takingStep('/credentials/reset_password', stateToken, { newPassword: ANOTHER_PASSWORD }));
    },
  },
  'a recovery token': {
    path: 'recoveryToken',
    hold: async () => {
      const user = await newUser(org);
      const recoveryToken = await handOut(org, 'password', user);
      return holding(user, () => isGood(step(org.anonymous, '/recovery/token', { recoveryToken })));
    },
  },
  'the answer of a recovery': {
    path: 'recoveryToken',
    hold: async () => {
      const user = await newUser(org);
      return holding(user, takingStep('/recovery/answer', await recoveryOf(user), { answer: QUESTION.answer }));
    },
  },
  'the new password of a recovery': {
    path: 'recoveryToken',
    hold: async () => {
      const user = await org.createUser({ credentials: { password: { value: PASSWORD } } });
      const newPassword = ANOTHER_PASSWORD;
      return holding(user, takingStep('/credentials/reset_password', await recoveryOf(user), { newPassword }));
    },
  },
  'a token that unlocks': {
    path: 'unlockToken',
    hold: async () => {
      const user = await userIn(org, 'LOCKED_OUT');
      const recoveryToken = await handOut(org, 'unlock', user);
      return holding(user, () => isGood(step(org.anonymous, '/recovery/token', { recoveryToken })));
    },
  },
  'a session token': {
    path: 'createSession',
    hold: async () => {
      const user = await newUser(org);
      const { sessionToken } = await signedIn(service, org, user.id);
      return holding(user, () => isGood(exchange(org.anonymous, sessionToken)));
    },
  },
  'a session token in a browser': {
    path: 'createSession',
    hold: async () => {
      const user = await newUser(org);
      const { sessionToken } = await signedIn(service, org, user.id);
      const query = new URLSearchParams({ token: sessionToken, redirectUrl: org.baseUrl }).toString();
      const headers = { accept: 'text/html' };
      return holding(user, async () => {
        return (await org.client(headers).get(`/login/sessionCookieRedirect?${query}`)).status === 302;
      });
    },
  },
  ...Object.fromEntries(
    REFRESH_PATHS.flatMap((path): [string, Way][] => [
      [
        `${path} of the own session`,
        { path: 'refreshSession', hold: () => withSession(({ client }) => client.post(`${ME}/${path}`)) },
      ],
      [
        `${path} by an administrator`,
        {
          path: 'refreshSession',
          hold: () => withSession(({ id }) => org.admin.post(`/api/v1/sessions/${id}/${path}`)),
        },
      ],
    ]),
  ),
  'the extension of a session': {
    path: 'refreshSession',
    hold: () => withSession(({ id }) => org.admin.put(`/api/v1/sessions/${id}`)),
  },
  'a session, shown': { path: 'useSession', hold: () => withSession(({ client }) => client.get(ME)) },
  'a session, as credential': {
    path: 'useSession',
    hold: () => withSession(({ client }) => client.get('/api/v1/users/me')),
  },
  'a session, ended': { path: 'useSession', hold: () => withSession(({ client }) => client.del(ME)) },
  'an authorization request': {
    path: 'authorize',
    hold: async () => {
      const app = await newOidcApp(org);
      const { client, userId } = await newBrowser(service, org, app);
      const attempt = async () => 'code' in answered(await ask(client, app, { prompt: 'none' })).parameters;
      return { id: userId, attempt };
    },
  },
  'an API token': {
    path: null,
    hold: async () => {
      const user = await newUser(org);
      const input = { userId: user.id, name: 'admission' };
      const { value } = await createApiToken(service.application, operatorContext(service, org), input);
      const client = org.client({ authorization: `SSWS ${value}` });
      return holding(user, async () => (await client.get('/api/v1/users/me')).status !== 401);
    },
  },
};

/** The statuses of owners whose API tokens work. */
const TOKEN_OWNERS = ['PROVISIONED', 'ACTIVE', 'RECOVERY', 'LOCKED_OUT', 'PASSWORD_EXPIRED'];

const admitsUser = ({ also, path }: Way, status: string): boolean => {
  if (path === null) return TOKEN_OWNERS.includes(status);
  const rule = ADMISSION_PATHS[path];
  return status === also || ('user' in rule && [...rule.user].some((one) => one === status));
};

async function putStatus(id: string, status: string): Promise<void> {
  const { pool } = service.database;
  await pool.query('update users set status = $3 where org_id = $1 and id = $2', [org.id, id, status]);
  const text = `update user_attribute_values set value_key = lower($3)
    where org_id = $1 and user_id = $2 and attribute_id = $4`;
  await pool.query(text, [org.id, id, status, ATTRIBUTE_IDS.status]);
}

test('every way in lets in users of the statuses that its row names', { timeout: LONG }, async () => {
  const rows = Object.entries(WAYS).flatMap(([name, way]) => USER_STATUSES.map((status) => ({ name, way, status })));
  const walk = { rows, atLeast: 152, atOnce: 1 };
  let last = '';
  await expectOfEvery(
    { ...walk, nameOf: ({ name, status }) => `${name}, ${status}` },
    async ({ name, status, way }) => {
      // Each way gets a new org, because failures are limited per address and org.
      if (name !== last) org = await service.newOrg();
      last = name;
      const { attempt, id } = await way.hold();
      await putStatus(id, status);
      service.clock.advance(1_000);
      expect(await attempt(), 'whether the user is let in').toBe(admitsUser(way, status));
    },
  );
});

type Client = Awaited<ReturnType<typeof newServiceClient>>;

interface ClientWay {
  readonly path: AdmissionPath;
  readonly hold: (client: Client) => Promise<Attempt>;
}

/** An authenticated client without the backchannel grant also gets a 401. */
const isKnown = (answer: TestResponse): boolean => answer.status !== 401 || lacksBackchannelGrant(answer);
const asking =
  (endpoint: ClientEndpoint, isIn: (answer: TestResponse) => boolean): ClientWay['hold'] =>
  async (client) =>
  async () =>
    isIn(await client.post(endpoint, { token: 'none' }));

const CLIENT_WAYS: Readonly<Record<string, ClientWay>> = {
  'the grant of a token': {
    path: 'clientCredentials',
    hold: async (client) => () =>
      isGood(client.post('token', { grant_type: 'client_credentials', scope: 'svc.users.read' })),
  },
  'the use of a token': {
    path: 'useClientToken',
    hold: async (client) => {
      const bearer = client.bearer(await client.token('users.read'));
      return () => isGood(bearer.get('/api/v1/users?limit=1'));
    },
  },
  'a token that is asked about': {
    path: 'introspectClientToken',
    hold: async (client) => {
      const token = await client.token('users.read');
      return async () => (await client.post('introspect', { token })).body.active === true;
    },
  },
  'asking about tokens': { path: 'introspect', hold: asking('introspect', isAnswered) },
  'pushing a request': { path: 'par', hold: asking('par', isKnown) },
  'beginning to connect a device': { path: 'deviceAuthorize', hold: asking('device/authorize', isKnown) },
  'asking a user who is elsewhere': { path: 'backchannelAuthorize', hold: asking('bc/authorize', isKnown) },
  'revoking tokens': { path: 'revoke', hold: asking('revoke', isAnswered) },
};

const STATES = [
  ...['service', 'web', 'native', 'browser'].map((type) => [type, 'ACTIVE'] as const),
  ['service', 'INACTIVE'] as const,
];

test('every way of a client lets in active clients of the types that its row names', { timeout: LONG }, () => {
  const ways = Object.entries(CLIENT_WAYS);
  const rows = ways.flatMap(([name, way]) => STATES.map(([type, status]) => ({ name, ...way, type, status })));
  const nameOf = ({ name, status, type }: (typeof rows)[number]) => `${name}, ${type}, ${status}`;
  return expectOfEvery({ rows, nameOf, atLeast: 40, atOnce: 1 }, async ({ hold, path, status, type }) => {
    const client = await newServiceClient(service, org, { scopes: ['users.read'], roles: ['READ_ONLY_ADMIN'] });
    const attempt = await hold(client);
    const text = 'update apps set application_type = $3, status = $4 where org_id = $1 and id = $2';
    await service.database.pool.query(text, [org.id, client.id, type, status]);
    service.clock.advance(1_000);
    const rule = ADMISSION_PATHS[path];
    const isOfType = 'client' in rule && [...rule.client].some((one) => one === type);
    expect(await attempt(), 'whether the client is let in').toBe(status === 'ACTIVE' && isOfType);
  });
});

/** The admission paths that tests in other files try. */
const TRIED_ELSEWHERE = [...Object.keys(TOKEN_WAYS), 'launchApp', 'serverClientCredentials', 'introspectServerToken'];

test('no way is missing', () => {
  const paths = [...Object.values(WAYS), ...Object.values(CLIENT_WAYS)].map(({ path }) => path);
  const tried = [...paths.filter((path) => path !== null), ...TRIED_ELSEWHERE];
  expect(new Set(tried)).toEqual(new Set(Object.keys(ADMISSION_PATHS)));
});
