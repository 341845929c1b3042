import { ADMISSION_PATHS, type AdmissionPath } from '../../src/access/admission.ts';
import { handOut, newUser, signIn, step } from '../support/authn.ts';
import type { TestResponse } from '../support/client.ts';
import type { TestOrg, TestService } from '../support/service.ts';
import { exchange, ME, openSession, REFRESH_PATHS, signedIn } from '../support/session-tokens.ts';
import { ANOTHER_PASSWORD, PASSWORD, QUESTION, type UserStatus, userIn, userPath } from '../support/users.ts';
import { byAuthorization, byLaunch } from './admission-browser-ways.ts';
import { TOKEN_WAYS } from './admission-token-ways.ts';

export interface Bench {
  readonly service: TestService;
  readonly org: TestOrg;
}

/** Kinds of credentials. The tests expect an operation to void either all or none of a user's credentials of a kind. */
export type Credential =
  | 'password'
  | 'activationToken'
  | 'recoveryToken'
  | 'unlockToken'
  | 'stateToken'
  | 'sessionToken'
  | 'session'
  /** Credentials that apps received. */
  | 'oauth'
  /** An assertion or a backchannel request in which an app names the user. */
  | 'assertion';

export interface Refusal {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface Held {
  readonly userId: string;
  readonly attempt: () => Promise<TestResponse>;
}

export interface UserWay {
  readonly name: string;
  readonly credential: Credential;
  readonly status: UserStatus;
  readonly hold: (bench: Bench) => Promise<Held>;
  readonly refusal: Refusal;
  /** The response in statuses that require another step first. */
  readonly nextSteps?: Readonly<Partial<Record<UserStatus, Refusal>>>;
  /** The refusal by the app's policy, `REFUSED_BY_APP` by default. */
  readonly appRefusal?: Refusal;
  readonly alsoIn?: readonly UserStatus[];
}

/** The names of the rows of the admission table that check this parent. */
export type PathsOf<Parent extends string> = {
  [Path in AdmissionPath]: Parent extends keyof (typeof ADMISSION_PATHS)[Path] ? Path : never;
}[AdmissionPath];

export type ClientPath = Exclude<PathsOf<'client'>, PathsOf<'user'>>;

const apiRefusal = (status: number, errorCode: string, errorSummary: string): Refusal => ({
  status,
  body: { errorCode, errorSummary, errorCauses: [] },
});

const NOT_SIGNED_IN = apiRefusal(401, 'E0000004', 'Authentication failed');
const INVALID_TOKEN = apiRefusal(401, 'E0000011', 'Invalid token provided');
const noSession = (id: string): Refusal =>
  apiRefusal(404, 'E0000007', `Not found: Resource not found: ${id} (Session)`);
const NO_SESSION = noSession('me');
const INVALID_SESSION = apiRefusal(403, 'E0000005', 'Invalid session');
/** The summary is not compared. It differs if the caller may use the session but not extend it. */
const NO_OWN_SESSION = { ...NO_SESSION, body: { errorCode: 'E0000007', errorCauses: [] } };
/** The message contains only the start of the session's id. */
const UNKNOWN_SESSION = noSession('102...');

const takesStep =
  ({ org }: Bench, path: string, body: object) =>
  () =>
    step(org.anonymous, path, body);

const newPassword = ANOTHER_PASSWORD;

async function activationTokenOf({ org }: Bench): Promise<{ userId: string; token: string }> {
  const { id } = await org.createUser();
  const { body } = await org.admin.post(`${userPath(id)}/lifecycle/reactivate?sendEmail=false`);
  return { userId: id, token: body.activationToken };
}

const stateAfter = async ({ org }: Bench, path: string, body: object): Promise<string> =>
  (await step(org.anonymous, path, body)).body.stateToken;

type Send = (bench: Bench, session: Awaited<ReturnType<typeof openSession>>) => Promise<TestResponse>;

const bySession = (name: string, refusal: Refusal, send: Send): UserWay => ({
  name,
  credential: 'session',
  status: 'ACTIVE',
  refusal,
  hold: async (bench) => {
    const session = await openSession(bench.service, bench.org);
    return { userId: session.userId, attempt: () => send(bench, session) };
  },
});

const bySessionToken = (name: string, take: (bench: Bench, token: string) => Promise<TestResponse>): UserWay => ({
  name,
  credential: 'sessionToken',
  status: 'ACTIVE',
  refusal: NOT_SIGNED_IN,
  hold: async (bench) => {
    const { id } = await newUser(bench.org);
    const { sessionToken } = await signedIn(bench.service, bench.org, id);
    return { userId: id, attempt: () => take(bench, sessionToken) };
  },
});

const byPassword: UserWay = {
  name: 'a password',
  credential: 'password',
  status: 'ACTIVE',
  refusal: NOT_SIGNED_IN,
  nextSteps: { PASSWORD_EXPIRED: { status: 200, body: { status: 'PASSWORD_EXPIRED' } } },
  hold: async ({ org }) => {
    const { id, profile } = await newUser(org);
    return { userId: id, attempt: () => signIn(org.anonymous, profile.login) };
  },
};

const byExpiredPassword: UserWay = {
  name: 'the change of an expired password',
  credential: 'stateToken',
  status: 'PASSWORD_EXPIRED',
  refusal: INVALID_TOKEN,
  hold: async (bench) => {
    const { id, profile } = await userIn(bench.org, 'PASSWORD_EXPIRED');
    const { stateToken } = (await signIn(bench.org.anonymous, profile.login)).body;
    const change = { stateToken, oldPassword: PASSWORD, newPassword };
    return { userId: id, attempt: takesStep(bench, '/credentials/change_password', change) };
  },
};

/** An activation token counts as a recovery token after the user's password has been reset. */
const activation = { status: 'PROVISIONED', refusal: INVALID_TOKEN, alsoIn: ['RECOVERY'] } as const;

const byActivationToken: UserWay = {
  ...activation,
  name: 'an activation token',
  credential: 'activationToken',
  hold: async (bench) => {
    const { token, userId } = await activationTokenOf(bench);
    return { userId, attempt: takesStep(bench, '', { token }) };
  },
};

const byFirstPassword: UserWay = {
  ...activation,
  name: 'the first password after an activation token',
  credential: 'stateToken',
  hold: async (bench) => {
    const { token, userId } = await activationTokenOf(bench);
    const stateToken = await stateAfter(bench, '', { token });
    return { userId, attempt: takesStep(bench, '/credentials/reset_password', { stateToken, newPassword }) };
  },
};

const recovery = { status: 'ACTIVE', refusal: INVALID_TOKEN } as const;

const byRecoveryToken: UserWay = {
  ...recovery,
  name: 'a recovery token',
  credential: 'recoveryToken',
  hold: async (bench) => {
    const user = await newUser(bench.org);
    const recoveryToken = await handOut(bench.org, 'password', user);
    return { userId: user.id, attempt: takesStep(bench, '/recovery/token', { recoveryToken }) };
  },
};

const byRecoveryState = (name: string, credentials: object, path: string, body: object): UserWay => ({
  ...recovery,
  name,
  credential: 'stateToken',
  hold: async (bench) => {
    const user = await bench.org.createUser({ credentials: { ...credentials } });
    const recoveryToken = await handOut(bench.org, 'password', user);
    const stateToken = await stateAfter(bench, '/recovery/token', { recoveryToken });
    return { userId: user.id, attempt: takesStep(bench, path, { stateToken, ...body }) };
  },
});

const password = { value: PASSWORD };
const recoveryWays: readonly [UserWay, ...UserWay[]] = [
  byRecoveryToken,
  byRecoveryState('the answer of a recovery', { password, recovery_question: QUESTION }, '/recovery/answer', {
    answer: QUESTION.answer,
  }),
  byRecoveryState('the new password of a recovery', { password }, '/credentials/reset_password', { newPassword }),
];

const unlocking = (credential: 'unlockToken' | 'stateToken', name: string): UserWay => ({
  name,
  credential,
  status: 'LOCKED_OUT',
  refusal: INVALID_TOKEN,
  hold: async (bench) => {
    const user = await userIn(bench.org, 'LOCKED_OUT');
    const recoveryToken = await handOut(bench.org, 'unlock', user);
    if (credential === 'unlockToken') {
      return { userId: user.id, attempt: takesStep(bench, '/recovery/token', { recoveryToken }) };
    }
    const stateToken = await stateAfter(bench, '/recovery/token', { recoveryToken });
    return { userId: user.id, attempt: takesStep(bench, '/recovery/answer', { stateToken, answer: QUESTION.answer }) };
  },
});

const inBrowser = ({ org }: Bench, token: string): Promise<TestResponse> => {
  const query = new URLSearchParams({ token, redirectUrl: `${org.baseUrl}/` }).toString();
  return org.anonymous.get(`/login/sessionCookieRedirect?${query}`);
};

/** The type requires ways for every row of the admission table that checks a user. */
export const USER_WAYS: Readonly<Record<PathsOf<'user'>, readonly [UserWay, ...UserWay[]]>> = {
  passwordSignIn: [byPassword],
  changeExpiredPassword: [byExpiredPassword],
  activationToken: [byActivationToken, byFirstPassword],
  recoveryToken: recoveryWays,
  unlockToken: [unlocking('unlockToken', 'an unlock token'), unlocking('stateToken', 'the answer of an unlock')],
  createSession: [
    bySessionToken('a session token', ({ org }, token) => exchange(org.anonymous, token)),
    bySessionToken('a session token in a browser', inBrowser),
  ],
  refreshSession: [
    bySession('the extension by PUT', UNKNOWN_SESSION, ({ org }, { id }) => org.admin.put(`/api/v1/sessions/${id}`)),
    ...REFRESH_PATHS.flatMap((path) => [
      bySession(`${path} of the own session`, NO_OWN_SESSION, (_, { client }) => client.post(`${ME}/${path}`)),
      bySession(`${path} by id`, UNKNOWN_SESSION, ({ org }, { id }) =>
        org.admin.post(`/api/v1/sessions/${id}/${path}`),
      ),
    ]),
  ],
  authorize: [byAuthorization],
  launchApp: [byLaunch],
  ...TOKEN_WAYS,
  useSession: [
    bySession('a session, shown', NO_SESSION, (_, { client }) => client.get(ME)),
    bySession('a session, shown by id', UNKNOWN_SESSION, ({ org }, { id }) => org.admin.get(`/api/v1/sessions/${id}`)),
    bySession('a session as credential', INVALID_SESSION, (_, { client }) => client.get(userPath('me'))),
    bySession('the end of a session', NO_SESSION, (_, { client }) => client.del(ME)),
    bySession('the end by id', UNKNOWN_SESSION, ({ org }, { id }) => org.admin.del(`/api/v1/sessions/${id}`)),
  ],
};

export const statusesOf = (path: PathsOf<'user'>, { alsoIn = [] }: UserWay): readonly string[] => [
  ...ADMISSION_PATHS[path].user,
  ...alsoIn,
];

/** A response that only asks for a new password does not sign the user in. */
export const isIn = ({ body, status }: TestResponse): boolean =>
  status < 400 && !(body?.status === 'PASSWORD_EXPIRED' && body.stateToken !== undefined);
