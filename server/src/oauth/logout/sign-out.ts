import type { Context } from '../../kernel/context.ts';
import { ApiError } from '../../kernel/errors/errors.ts';
import { OAUTH_ERRORS, type OAuthErrorCode } from '../../kernel/errors/oauth-errors.ts';
import type { ClientId, OrgId } from '../../kernel/words/ids.ts';
import { type ClientApp, findAppOfClient, isClientApp } from '../../management/apps/index.ts';
import type { MasterKey } from '../../platform/crypto/index.ts';
import { type Authenticated, isFromElsewhere, isFromOwnPage, readBrowserSession } from '../../platform/http/index.ts';
import { endSession, type Sessions } from '../../sign-in/index.ts';
import { isOrigin, readSigned } from '../access-tokens/index.ts';
import type { ServerConfiguration } from '../custom-servers/index.ts';
import { ORG_SERVER, type SigningKeys } from '../keys/index.ts';
import { formTokenOf, isFormToken, type Question } from './form-token.ts';
import { type Hint, isAbout, type LogoutRequest, readHint, redirectTarget } from './logout-rules.ts';

export interface SignOutPorts {
  readonly sessions: Sessions;
  readonly signingKeys: Pick<SigningKeys, 'verificationKey'>;
  readonly masterKey: MasterKey;
  /** Returns whether the org's tokens may name this origin as their issuer. */
  readonly isIssuerOrigin: (orgId: OrgId, origin: string) => boolean | Promise<boolean>;
}

export interface SignOut {
  /** Null means the org's own server. */
  readonly server: ServerConfiguration | null;
  readonly request: LogoutRequest;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly method: 'GET' | 'POST';
}

export interface Refused {
  readonly kind: 'refused';
  readonly error: string;
  readonly description: string;
}

export type SignedOut =
  | Refused
  /** Another site's page submitted the form without the session cookie, so our own page has to submit it again. */
  | { readonly kind: 'resend' }
  | {
      readonly kind: 'ask';
      readonly userId: string;
      readonly login: string;
      readonly request: LogoutRequest;
      readonly formToken: string;
    }
  /** A null `location` means that there is no address to continue at. */
  | { readonly kind: 'done'; readonly location: string | null };

export function refused(code: OAuthErrorCode, description: string = OAUTH_ERRORS[code].description): Refused {
  return { kind: 'refused', error: OAUTH_ERRORS[code].error, description };
}

const badHint = (): Refused =>
  refused('invalidRequest', "The 'id_token_hint' is not an ID token of this server for the client.");

async function verifyHint(ports: SignOutPorts, context: Context, { request, server }: SignOut): Promise<Hint | null> {
  const { baseUrl, orgId } = context;
  const serverId = server?.facts.id ?? ORG_SERVER;
  const jws = await readSigned(ports.signingKeys, orgId, request.idTokenHint ?? '', serverId);
  const hint = 'refused' in jws ? null : readHint(jws.claims);
  if (hint === null) return null;
  const path = server?.facts.issuerPath ?? '';
  if (!hint.issuer.endsWith(path)) return null;
  const origin = hint.issuer.slice(0, hint.issuer.length - path.length);
  const isOurs = origin === baseUrl || (isOrigin(origin) && (await ports.isIssuerOrigin(orgId, origin)));
  return isOurs ? hint : null;
}

async function findClient(
  { sessions }: SignOutPorts,
  { orgId }: Context,
  clientId: ClientId,
): Promise<ClientApp | null> {
  const app = await findAppOfClient(sessions.db, orgId, clientId);
  return app !== undefined && isClientApp(app) && app.status === 'ACTIVE' ? app : null;
}

/** The address to continue at must exactly match a registered one (docs/security-rows.md, attack 80). */
async function isRegistered(ports: SignOutPorts, context: Context, { clientId, redirectUri }: LogoutRequest) {
  if (redirectUri === null) return true;
  const client = clientId === null ? null : await findClient(ports, context, clientId);
  const registered = client?.document.settings.oauthClient.post_logout_redirect_uris ?? [];
  return registered.includes(redirectUri);
}

type SessionOfBrowser = Authenticated & { readonly principal: { readonly kind: 'session' } };

const isSession = (authenticated: Authenticated | null): authenticated is SessionOfBrowser =>
  authenticated?.principal.kind === 'session';

/** Does nothing if the session has already ended. */
async function end(ports: SignOutPorts, context: Context, session: SessionOfBrowser, id: string): Promise<void> {
  const { actor, principal, roles } = session;
  try {
    await endSession(ports.sessions, { ...context, actor, principal, roles }, id);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'E0000007') throw error;
  }
}

/**
 * Ends the session of the requesting browser (OpenID Connect RP-Initiated Logout 1.0). Without an ID token about that
 * session, the user must confirm on our page first. A request with an invalid hint or an unregistered address ends no
 * session.
 */
export async function signOut(ports: SignOutPorts, context: Context, given: SignOut): Promise<SignedOut> {
  const { headers, method, request, server } = given;
  const hint = request.idTokenHint === null ? null : await verifyHint(ports, context, given);
  if (request.idTokenHint !== null && hint === null) return badHint();
  if (hint !== null && request.clientId !== null && request.clientId !== hint.clientId) {
    return badHint();
  }
  const known: LogoutRequest = { ...request, clientId: hint?.clientId ?? request.clientId };
  if (!(await isRegistered(ports, context, known))) return refused('illegalPostLogoutRedirectUri');

  const done: SignedOut = { kind: 'done', location: redirectTarget(known) };
  const sessionId = readBrowserSession(headers);
  const session = sessionId === null ? null : await ports.sessions.authenticate(context.orgId, sessionId, context.now);
  if (sessionId === null && method === 'POST' && isFromElsewhere(headers, context.baseUrl)) return { kind: 'resend' };
  if (sessionId === null || !isSession(session)) return done;

  const { idHash } = session.principal;
  const serverId = server?.facts.id ?? ORG_SERVER;
  const question: Question = { orgId: context.orgId, idHash, serverId, request: known };
  const saidYes =
    request.formToken !== null &&
    isFromOwnPage(headers, context.baseUrl) &&
    isFormToken(ports.masterKey, question, request.formToken);
  if (!saidYes && (hint === null || !isAbout(hint, session.principal))) {
    const formToken = formTokenOf(ports.masterKey, question);
    const { userId } = session.principal;
    return { kind: 'ask', userId, login: session.actor.alternateId ?? '', request: known, formToken };
  }
  await end(ports, context, session, sessionId);
  return done;
}
