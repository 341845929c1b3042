import { issueSessionToken } from '../../src/sign-in/index.ts';
import type { TestClient, TestResponse } from './client.ts';
import { operatorContext } from './org-settings.ts';
import type { TestOrg, TestService } from './service.ts';
import { CREDENTIALS } from './users.ts';

export interface Limits {
  readonly idleMinutes?: number;
  readonly lifetimeMinutes?: number;
  readonly usePersistentCookie?: boolean;
}

/** Issues the session token that a sign-in would issue, with the given limits. */
export const signedIn = (
  service: TestService,
  org: TestOrg,
  userId: string,
  limits: Limits = {},
): ReturnType<typeof issueSessionToken> => {
  const context = operatorContext(service, org);
  return service.application.work(context, (tx) =>
    issueSessionToken(tx, context, {
      userId,
      idleMinutes: 120,
      lifetimeMinutes: 0,
      usePersistentCookie: false,
      amr: ['pwd'],
      idp: { id: org.id, type: 'INTERNAL' },
      passwordVerifiedAt: context.now,
      ...limits,
    }),
  );
};

export const exchange = (client: TestClient, sessionToken: string): Promise<TestResponse> =>
  client.post('/api/v1/sessions', { body: { sessionToken } });

export interface OpenSession {
  readonly id: string;
  readonly userId: string;
  readonly externalSessionId: string;
  /** A client that sends the session's id in the cookie `sid`, as clients of the API do. */
  readonly client: TestClient;
  readonly body: TestResponse['body'];
}

/** Opens a session for a user; by default, for a new user with a password. */
export async function openSession(
  service: TestService,
  org: TestOrg,
  options: Limits & { readonly userId?: string } = {},
): Promise<OpenSession> {
  const { userId = (await org.createUser({ credentials: CREDENTIALS })).id, ...limits } = options;
  const { externalSessionId, sessionToken } = await signedIn(service, org, userId, limits);
  const { body, status, text } = await exchange(org.anonymous, sessionToken);
  if (status !== 200) throw new Error(`the session was not opened: ${text}`);
  return { id: body.id, userId, externalSessionId, client: org.client({ cookie: `sid=${body.id}` }), body };
}

export const ME = '/api/v1/sessions/me';
export const NO_SESSION = { status: 404, body: { errorCode: 'E0000007' } };
export const REFRESH_PATHS = ['lifecycle/refresh', 'refresh'] as const;
