import type { Context } from '../../kernel/context.ts';
import type { UsersPorts } from '../../management/users/index.ts';
import {
  type Answer,
  type AnyRoute,
  clearedSessionCookie,
  flag,
  noContent,
  ok,
  prefersMinimal,
  readSessionCookie,
  route,
  text,
} from '../../platform/http/index.ts';
import { clearUserSessions } from './changes/clear-user-sessions.ts';
import { createSession } from './changes/create-session.ts';
import { endSession } from './changes/end-session.ts';
import { refreshSession } from './changes/refresh-session.ts';
import { CreateSessionBody, SessionIdParams, SessionSchema, SessionsOfUserParams } from './contract.ts';
import { getSession } from './get-session.ts';
import { redirectWithCookie } from './redirect/redirect-with-cookie.ts';
import type { Sessions } from './sessions.ts';
import { noSuchSession, wireSession } from './wire.ts';

export interface SessionRoutesPorts {
  readonly sessions: Sessions;
  readonly users: UsersPorts;
}

const common = { tag: 'Session', bucket: 'sessions' } as const;
const byId = { ...common, access: 'authenticated', cors: false, params: SessionIdParams } as const;
const reading = { ...byId, scopes: ['sessions.read'], permission: 'sessions.read' } as const;
const managing = { ...byId, scopes: ['sessions.manage'], permission: 'sessions.manage' } as const;
const mine = { ...common, access: 'session', cors: true, scopes: [] } as const;
const collection = '/api/v1/sessions';
const single = `${collection}/:sessionId`;
const current = `${collection}/me`;
const shown = { response: { status: 200, schema: SessionSchema } } as const;
const nothing = { response: { status: 204, schema: null } } as const;

type Headers = Readonly<Record<string, string | string[] | undefined>>;

function ownSessionId(headers: Headers): string {
  const cookie = readSessionCookie(headers);
  if (cookie === null) throw noSuchSession('me');
  return cookie.value;
}

/** The response has no body if the client prefers none (specification 4.8; RFC 7240 4.2). */
async function answerRefresh(
  { sessions }: SessionRoutesPorts,
  context: Context,
  headers: Headers,
  id: string,
  as: 'id' | 'me',
): Promise<Answer> {
  const session = await refreshSession(sessions, context, id);
  if (!prefersMinimal(headers['prefer'])) return ok(wireSession(session, id, context, as));
  return { ...noContent(), headers: { 'Preference-Applied': 'return=minimal' } };
}

const createRoute = ({ sessions }: SessionRoutesPorts): AnyRoute =>
  route({
    ...common,
    ...shown,
    operationId: 'createSession',
    method: 'POST',
    url: collection,
    summary: 'Create a session with a session token',
    access: 'public',
    scopes: [],
    cors: true,
    body: CreateSessionBody,
    errors: ['E0000004'],
    handler: async ({ context, body }) => {
      const { id, session } = await createSession(sessions, context, body.sessionToken);
      return ok(wireSession(session, id, context, 'me'));
    },
  });

const getRoute = ({ sessions }: SessionRoutesPorts): AnyRoute =>
  route({
    ...reading,
    ...shown,
    operationId: 'getSession',
    method: 'GET',
    url: single,
    summary: 'Retrieve a session',
    errors: ['E0000007'],
    handler: async ({ context, params: { sessionId } }) =>
      ok(wireSession(await getSession(sessions.db, context, sessionId), sessionId, context, 'id')),
  });

const endRoute = ({ sessions }: SessionRoutesPorts): AnyRoute =>
  route({
    ...managing,
    ...nothing,
    operationId: 'revokeSession',
    method: 'DELETE',
    url: single,
    summary: 'Revoke a session',
    errors: ['E0000007'],
    handler: async ({ context, params }) => {
      await endSession(sessions, context, params.sessionId);
      return noContent();
    },
  });

const refreshRoute = (
  ports: SessionRoutesPorts,
  operation: { operationId: string; method: 'POST' | 'PUT'; url: string; summary: string; deprecated?: boolean },
): AnyRoute =>
  route({
    ...managing,
    ...shown,
    ...operation,
    errors: ['E0000007'],
    handler: async ({ context, headers, params }) => answerRefresh(ports, context, headers, params.sessionId, 'id'),
  });

const getCurrentRoute = ({ sessions }: SessionRoutesPorts): AnyRoute =>
  route({
    ...mine,
    ...shown,
    operationId: 'getCurrentSession',
    method: 'GET',
    url: current,
    summary: 'Retrieve the current session',
    errors: ['E0000007'],
    handler: async ({ context, headers }) => {
      const id = ownSessionId(headers);
      return ok(wireSession(await getSession(sessions.db, context, id), id, context, 'me'));
    },
  });

const closeCurrentRoute = ({ sessions }: SessionRoutesPorts): AnyRoute =>
  route({
    ...mine,
    ...nothing,
    operationId: 'closeCurrentSession',
    method: 'DELETE',
    url: current,
    summary: 'Close the current session',
    errors: ['E0000005', 'E0000007'],
    handler: async ({ context, headers }) => {
      await endSession(sessions, context, ownSessionId(headers));
      return { ...noContent(), headers: { 'Set-Cookie': clearedSessionCookie() } };
    },
  });

const refreshCurrentRoute = (ports: SessionRoutesPorts, operationId: string, path: string): AnyRoute =>
  route({
    ...mine,
    ...shown,
    operationId,
    method: 'POST',
    url: `${current}/${path}`,
    summary: 'Refresh the current session',
    errors: ['E0000005', 'E0000007'],
    handler: async ({ context, headers }) => answerRefresh(ports, context, headers, ownSessionId(headers), 'me'),
  });

const clearRoute = (ports: SessionRoutesPorts): AnyRoute =>
  route({
    ...nothing,
    operationId: 'revokeUserSessions',
    method: 'DELETE',
    url: '/api/v1/users/:userId/sessions',
    summary: 'Revoke all sessions of a user',
    tag: 'UserSessions',
    access: 'authenticated',
    scopes: ['users.manage'],
    permission: 'users.sessions.clear',
    appliesGrant: true,
    params: SessionsOfUserParams,
    query: {
      oauthTokens: flag('Voids the tokens that were issued to the user as well.', false),
      forgetDevices: flag('Forgets the devices from which the user has signed in.', true),
    },
    errors: ['E0000006', 'E0000007', 'E0000037'],
    bucket: 'user',
    cors: true,
    handler: async ({ context, grant, params, query }) => {
      await clearUserSessions(ports, context, grant, params.userId, query);
      return noContent();
    },
  });

const cookieRoute = ({ sessions }: SessionRoutesPorts): AnyRoute =>
  route({
    ...common,
    operationId: 'redirectWithSessionCookie',
    method: 'GET',
    url: '/login/sessionCookieRedirect',
    summary: 'Exchange a session token for a session cookie, and redirect',
    access: 'public',
    scopes: [],
    cors: false,
    query: {
      token: text('The session token.', 512),
      redirectUrl: text(
        'The address to which the browser goes: of the org, or of a trusted origin with the scope `REDIRECT`.',
      ),
    },
    response: { status: 302, schema: null },
    errors: ['E0000001', 'E0000004', 'E0000005'],
    writes: true,
    anyAccept: true,
    handler: async ({ context, headers, query: { redirectUrl, token } }) => {
      const { cookie, location } = await redirectWithCookie(sessions, context, { redirectUrl, token, headers });
      const answer = { Location: location, 'Set-Cookie': cookie, 'Referrer-Policy': 'no-referrer' };
      return { status: 302, body: null, headers: answer };
    },
  });

const refresh = { method: 'POST', summary: 'Refresh a session' } as const;
const extend = { method: 'PUT', summary: 'Extend a session (deprecated)', deprecated: true } as const;

export const sessionRoutes = (ports: SessionRoutesPorts): AnyRoute[] => [
  createRoute(ports),
  getCurrentRoute(ports),
  closeCurrentRoute(ports),
  refreshCurrentRoute(ports, 'refreshCurrentSession', 'lifecycle/refresh'),
  refreshCurrentRoute(ports, 'refreshCurrentSessionLegacyPath', 'refresh'),
  getRoute(ports),
  endRoute(ports),
  refreshRoute(ports, { ...refresh, operationId: 'refreshSession', url: `${single}/lifecycle/refresh` }),
  refreshRoute(ports, { ...refresh, operationId: 'refreshSessionLegacyPath', url: `${single}/refresh` }),
  refreshRoute(ports, { ...extend, operationId: 'extendSession', url: single }),
  clearRoute(ports),
  cookieRoute(ports),
];
