import { ApiError } from '../../../kernel/errors/errors.ts';
import { readBrowserSession, sessionCookie } from '../../../platform/http/index.ts';
import { assertSender, createSession, findSessionForAuthorization } from '../../../sign-in/index.ts';
import { findAppPolicies } from '../../app-sign-on/index.ts';
import { subjectOfHint } from '../../user-tokens/index.ts';
import { refusedWith } from '../requests/parameter-rules.ts';
import { type AtRequest, type Found, found, type Halt, type RequestState } from '../requests/request-state.ts';

/**
 * Finds the user whom the client expects. The ID token must have been issued to this client, but may have expired (OIDC
 * Core 3.1.2.1).
 */
export async function verifyHint(known: RequestState, { context, ports }: AtRequest): Promise<Found | Halt> {
  const { id_token_hint: token } = known.parameters;
  if (token === undefined) return {};
  const { clientId } = found(known, 'client');
  const subject = await subjectOfHint(ports, context.orgId, { clientId, server: known.server, token });
  return subject === null ? refusedWith('invalidRequest') : { hint: { subject } };
}

/**
 * Exchanges a session token for a session. Ignores an invalid token, and any token if `assertSender` refuses the
 * request.
 */
export async function openSession(known: RequestState, { context, ports }: AtRequest): Promise<Found | Halt> {
  const { sessionToken } = known.parameters;
  if (sessionToken === undefined || known.sessionId !== undefined) return {};
  try {
    await assertSender(ports.db, context.orgId, known.request.headers, context.baseUrl);
    const before = readBrowserSession(known.request.headers);
    const { id, persistent } = await createSession(ports.sessions, context, sessionToken, before);
    return { sessionId: id, cookies: [...known.cookies, sessionCookie(id, persistent)] };
  } catch (error) {
    if (error instanceof ApiError && (error.status === 401 || error.status === 403)) return {};
    throw error;
  }
}

export async function findSession(known: RequestState, { context, ports }: AtRequest): Promise<Found | Halt> {
  const sessionId = known.sessionId ?? readBrowserSession(known.request.headers);
  if (sessionId === null) return {};
  const session = await findSessionForAuthorization(ports.db, context.orgId, sessionId, context.now);
  if (session === undefined) return {};
  return { sessionId, session, appPolicies: await findAppPolicies(ports, context) };
}
