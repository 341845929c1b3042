import type { AdmissionRefusal } from '../../../access/index.ts';
import type { OAuthErrorCode } from '../../../kernel/errors/oauth-errors.ts';
import { findAuthorizingClient, lockAuthorizingClient } from '../../../management/apps/index.ts';
import { readFlowCookies } from '../../../platform/http/index.ts';
import { lockSessionForAuthorization } from '../../../sign-in/index.ts';
import { consume } from '../../client-authentication/replay-protection.ts';
import { lockConsentOf } from '../../consents/index.ts';
import { lockInteraction, takeRequest } from '../../interactions/index.ts';
import {
  decideUserTokens,
  lacksOpenId,
  lockTokenParents,
  type SignedIn,
  type UserTokenDecision,
  type UserTokenRefusal,
} from '../../user-tokens/index.ts';
import { type Refusal, refusedWith } from '../requests/parameter-rules.ts';
import { isRecent } from '../requests/request-rules.ts';
import {
  type AtIssue,
  type AtRequest,
  type Found,
  found,
  type Halt,
  type RequestState,
} from '../requests/request-state.ts';
import { holdsTokens } from '../response-rules.ts';
import { findFreshness } from '../store.ts';

/** This error is thrown if the client has changed since its request was read. */
export class ClientChanged extends Error {}

function authenticationOf(
  { acr = null }: RequestState,
  session: NonNullable<RequestState['session']>,
  { baseUrl }: AtRequest['context'],
): SignedIn {
  const details = { idp: session.idp.id, baseUrl, ...(acr === null ? {} : { acr }) };
  return { authTime: session.authTime, amr: session.amr, sessionExternalId: session.externalId, details };
}

/** Locks the user, client, server and session in this order, or only the client if there is no session. */
export async function lockParties(known: RequestState, { context, tx }: AtIssue): Promise<Found | Halt> {
  const { parameters, server, session: seen, sessionId } = known;
  const { now, orgId } = context;
  const { clientId, revision } = found(known, 'client');
  if (seen === undefined || sessionId === undefined) {
    const unchanged = await lockAuthorizingClient(tx, orgId, clientId);
    if (unchanged?.revision !== revision) throw new ClientChanged();
    return {};
  }
  const appPolicies = found(known, 'appPolicies');
  const place = { userId: seen.userId, clientId, server, requestedScopes: parameters['scope'] ?? '', appPolicies };
  const [parents, client, session] = await Promise.all([
    lockTokenParents(tx, context, place),
    findAuthorizingClient(tx, orgId, clientId),
    lockSessionForAuthorization(tx, orgId, sessionId, now),
  ]);
  if (client?.revision !== revision) throw new ClientChanged();
  if (session?.userId !== seen.userId || parents.user === undefined) return {};
  return { parents, session, authentication: authenticationOf(known, session, context) };
}

/**
 * Consumes a pushed request, and the id of a signed one. Locks the interaction that the request resumes, if there is
 * one.
 */
export async function useUpRequest(known: RequestState, { context, tx }: AtIssue): Promise<Found | Halt> {
  const { now, orgId } = context;
  const { interaction, pushedHash, request, requestObject } = known;
  if (pushedHash !== undefined && !(await takeRequest(tx, orgId, pushedHash))) return { refused: 'invalidRequestUri' };
  if (requestObject !== undefined && !(await consume(tx, orgId, found(known, 'client').clientId, requestObject))) {
    return { refused: 'requestObjectUsed' };
  }
  if (interaction === undefined) return {};
  const locked = await lockInteraction(tx, orgId, request.interactionId ?? '', readFlowCookies(request.headers), now);
  return locked === undefined ? { refused: 'requestExpired' } : { interaction: locked };
}

const signIn = (reauthenticate: boolean): Halt => ({ asks: 'signIn', reauthenticate });

/**
 * Requires the user whom the request expects, and a sign-in as recent as it demands. Otherwise asks for a sign-in or
 * refuses (OIDC Core 3.1.2.3).
 */
export async function authenticateUser(
  known: RequestState,
  { context: { orgId }, tx }: AtIssue,
): Promise<Found | Halt> {
  const { authentication, hint, interaction, session } = known;
  const { isNone, maximumAgeSeconds, words } = found(known, 'prompt');
  if (session === undefined || authentication === undefined)
    return isNone ? { refused: 'loginRequired' } : signIn(false);
  const isOther = hint !== undefined && hint.subject !== session.userId;
  // A browser has one session, so users choose an account by signing in.
  const isAsked = words.includes('login') || words.includes('select_account');
  if (!isOther && !isAsked && maximumAgeSeconds === null) return {};
  const fresh = await findFreshness(tx, orgId, session.externalId, interaction?.hash ?? null);
  if (isOther) return isNone || fresh.isForRequest ? { refused: 'loginRequired' } : signIn(true);
  if (isAsked && !fresh.isForRequest) return signIn(true);
  if (maximumAgeSeconds === null) return {};
  // Every sign-in is older than 0 s, so `max_age=0` requires one that was made for this request.
  if (maximumAgeSeconds === 0 ? fresh.isForRequest : fresh.ageSeconds <= maximumAgeSeconds) return {};
  return isNone ? { refused: 'reauthenticationRequired' } : signIn(true);
}

const REFUSED_ADMISSIONS: Readonly<Record<AdmissionRefusal, OAuthErrorCode>> = {
  USER_STATUS: 'invalidUserStatus',
  LOCKED_OUT: 'invalidUserStatus',
  PASSWORD_EXPIRED: 'invalidUserStatus',
  REVOKED: 'invalidUserStatus',
  CLIENT_INACTIVE: 'accessDenied',
  CLIENT_TYPE: 'accessDenied',
  SERVER_INACTIVE: 'invalidAuthorizationServer',
  APP_POLICY: 'appPolicyDenied',
  USER_ABSENT: 'accessDenied',
};

export const refusalOf = ({ admission, ...refusal }: UserTokenRefusal): Refusal => {
  const { app } = refusal;
  if (admission === undefined) return refusal;
  return { refused: REFUSED_ADMISSIONS[admission], ...(app === undefined ? {} : { app }) };
};

function decide(
  known: RequestState,
  { context }: AtRequest,
  grantType: string,
  requestedScopes: string,
): UserTokenDecision | UserTokenRefusal {
  return decideUserTokens(context, {
    client: found(known, 'client'),
    server: known.server,
    parents: found(known, 'parents'),
    requestedScopes,
    grantType,
    admission: 'authorize',
    authentication: found(known, 'authentication'),
  });
}

type Decisions = NonNullable<RequestState['decisions']>;

/** Decides about the code and the tokens separately, because policies may treat their grant types differently. */
function decideAll(known: RequestState, at: AtRequest, requestedScopes: string): Decisions | Refusal {
  const parts = found(known, 'parts');
  const code = parts.includes('code') ? decide(known, at, 'authorization_code', requestedScopes) : null;
  if (code !== null && 'refused' in code) return refusalOf(code);
  const tokens = holdsTokens(parts) ? decide(known, at, 'implicit', requestedScopes) : null;
  if (tokens !== null && 'refused' in tokens) return refusalOf(tokens);
  return { ...(code === null ? {} : { code }), ...(tokens === null ? {} : { tokens }) };
}

/** This step follows the policy decision, so that users whom the policy refuses are not asked to sign in first. */
export async function requireRecentSignIn(known: RequestState, { context, tx }: AtIssue): Promise<Found | Halt> {
  const { decisions, interaction } = known;
  const session = found(known, 'session');
  const age = (decisions?.code ?? decisions?.tokens)?.app.signInAgeSeconds ?? null;
  if (age === null || isRecent(session.authTime, age, context.now)) return {};
  const fresh = await findFreshness(tx, context.orgId, session.externalId, interaction?.hash ?? null);
  if (fresh.isForRequest) return {};
  return found(known, 'prompt').isNone ? { refused: 'reauthenticationRequired' } : signIn(true);
}

const needsOpenId = (known: RequestState, scopes: readonly string[]): boolean =>
  lacksOpenId(scopes) || (found(known, 'parts').includes('id_token') && !scopes.includes('openid'));

export function grantScopes(known: RequestState, at: AtIssue): Found | Halt {
  const decisions = decideAll(known, at, known.parameters['scope'] ?? '');
  if ('refused' in decisions) return decisions;
  const scopes = (decisions.code ?? decisions.tokens)?.scopes ?? [];
  return needsOpenId(known, scopes) ? { refused: 'openidScopeRequired' } : { decisions, scopes };
}

/** Asks for consent on custom servers only (contract section 7). Drops the scopes that the user leaves out. */
export async function requireConsent(known: RequestState, at: AtIssue): Promise<Found | Halt> {
  const { interaction, server } = known;
  const scopesOfServer = found(known, 'parents').locked?.scopes;
  if (server === null || scopesOfServer === undefined) return {};
  const { clientId, consentMethod } = found(known, 'client');
  const { userId } = found(known, 'session');
  const { isNone, words } = found(known, 'prompt');
  const asked = found(known, 'scopes');
  const consent = await lockConsentOf(at.tx, at.context.orgId, {
    parties: { userId, clientId, serverId: server.facts.id },
    consentMethod,
    prompt: words,
    asked,
    scopesOfServer,
    said: interaction?.consent ?? null,
  });
  if (consent === 'declined') return { refused: 'accessDenied' };
  if ('ask' in consent) {
    return isNone ? refusedWith('consentRequired', { scopes: consent.ask.join(', ') }) : { asks: 'consent' };
  }
  const { given } = consent;
  if (given.length === asked.length) return {};
  const decisions = decideAll(known, at, given.join(' '));
  return 'refused' in decisions ? decisions : { decisions, scopes: given };
}
