import type { Context } from '../../kernel/context.ts';
import type { Tx } from '../../platform/postgres/index.ts';
import type { AuthorizingSession } from '../../sign-in/index.ts';
import { lockSessionForAuthorization, type SignedInUser } from '../../sign-in/index.ts';
import type { Record, Work } from '../../system-log/index.ts';
import { appSignOnDenied, refusedRequestEvent, signedOnEvent } from '../authorization/events.ts';
import type { Refusal } from '../authorization/requests/parameter-rules.ts';
import { isRecent } from '../authorization/requests/request-rules.ts';
import { refusalOf } from '../authorization/steps/issue-steps.ts';
import { findFreshness, insertSessionClient } from '../authorization/store.ts';
import { lockConsentOf } from '../consents/index.ts';
import { lockInteraction, noteParameters, takeRequest } from '../interactions/index.ts';
import {
  approvePendingAuthorization,
  denyPendingAuthorization,
  lockPendingAuthorization,
} from '../pending-authorizations/index.ts';
import {
  type Authentication,
  decideUserTokens,
  lockTokenParents,
  type TokenParents,
  type UserTokenDecision,
} from '../user-tokens/index.ts';
import { ALLOWED_BY_PARAMETER, isFor, isWaiting, type UserInteraction } from './find-user-interaction.ts';
import { POLLING_FLOWS } from './polling-flows.ts';

/**
 * `over` means that the user can no longer answer. `consent` means that consent is missing. `signIn` means that the
 * user must sign in again.
 */
export type AnswerOutcome = 'allowed' | 'denied' | 'consent' | 'signIn' | 'over' | Refusal;

/** Locks what an answer depends on, in a fixed order. */
async function lockAll(tx: Tx, context: Context, question: UserInteraction, signedIn: SignedInUser) {
  const { appPolicies, client, flowValues, pending, requestId, server } = question;
  const { now, orgId } = context;
  const { clientId } = client;
  const place = { userId: signedIn.user.id, clientId, server, requestedScopes: pending.scopes, appPolicies };
  const [parents, session] = await Promise.all([
    lockTokenParents(tx, context, place),
    lockSessionForAuthorization(tx, orgId, signedIn.sessionId, now),
  ]);
  const interaction = await lockInteraction(tx, orgId, requestId, flowValues, now);
  const held = await lockPendingAuthorization(tx, orgId, pending.hash);
  if (interaction === undefined || held === undefined || !isWaiting(held, now)) return null;
  if (!isFor(held, signedIn.user.id)) return null;
  return session?.userId === signedIn.user.id ? { parents, session, interaction, held } : null;
}

type Locked = NonNullable<Awaited<ReturnType<typeof lockAll>>>;

const authenticationOf = (
  { amr, authTime, externalId, idp }: AuthorizingSession,
  acr: string | null,
): Authentication => ({
  authTime,
  amr,
  sessionExternalId: externalId,
  details: { idp: idp.id, ...(acr === null ? {} : { acr }) },
});

/** Returns whether the watermark of the app, the server, or the user whom the client named voids the request. */
function isEnded({ held, parents: { live, locked, user } }: Locked): boolean {
  const marks = [live?.validAfter, locked?.server.validAfter, ...(held.askedUserId === null ? [] : [user?.validAfter])];
  return marks.some((mark) => mark !== undefined && held.issuedAt <= mark);
}

/** Decides what the client may get for the user. The decision is made again when the client gets its tokens. */
function decide(
  context: Context,
  { client, pending, server }: UserInteraction,
  parents: TokenParents,
  authentication: Authentication,
  requestedScopes: readonly string[],
): UserTokenDecision | Refusal {
  const { grantType } = POLLING_FLOWS[pending.kind];
  const asked = {
    client,
    server,
    parents,
    requestedScopes,
    grantType,
    admission: 'authorize',
    authentication,
  } as const;
  const decision = decideUserTokens(context, asked);
  return 'refused' in decision ? refusalOf(decision) : decision;
}

/** Returns whether the sign-in is older than the policy of the app allows and was not made for this request. */
async function isSignInTooOld(
  tx: Tx,
  { now, orgId }: Context,
  { interaction, session }: Locked,
  { app: { signInAgeSeconds } }: UserTokenDecision,
): Promise<boolean> {
  if (signInAgeSeconds === null || isRecent(session.authTime, signInAgeSeconds, now)) return false;
  return !(await findFreshness(tx, orgId, session.externalId, interaction.hash)).isForRequest;
}

async function allow(
  tx: Tx,
  context: Context,
  question: UserInteraction,
  locked: Locked,
): Promise<'consent' | 'signIn' | Refusal | { readonly scopes: readonly string[] }> {
  const { client, server } = question;
  const { held, interaction, parents, session } = locked;
  const { orgId } = context;
  const { userId } = session;
  if (isEnded(locked)) return { refused: 'accessDenied' };
  const authentication = authenticationOf(session, held.acr);
  const decision = decide(context, question, parents, authentication, held.scopes);
  if ('refused' in decision) return decision;
  if (await isSignInTooOld(tx, context, locked, decision)) return 'signIn';
  const { scopes: all } = decision;
  if (server === null) return { scopes: all };
  const consent = await lockConsentOf(tx, orgId, {
    parties: { userId, clientId: client.clientId, serverId: server.facts.id },
    consentMethod: client.consentMethod,
    prompt: [],
    asked: all,
    scopesOfServer: parents.locked?.scopes ?? [],
    said: interaction.consent,
  });
  if (consent === 'declined') return { refused: 'accessDenied' };
  if ('ask' in consent) {
    await noteParameters(tx, orgId, interaction.hash, { [ALLOWED_BY_PARAMETER]: userId });
    return 'consent';
  }
  const given = decide(context, question, parents, authentication, consent.given);
  return 'refused' in given ? given : { scopes: given.scopes };
}

async function settle(
  tx: Tx,
  record: Record,
  context: Context,
  question: UserInteraction,
  locked: Locked,
  isAllowed: boolean,
): Promise<AnswerOutcome> {
  const { client, server } = question;
  const { held, interaction, session } = locked;
  const { now, orgId } = context;
  const answer = isAllowed ? await allow(tx, context, question, locked) : { refused: 'accessDenied' as const };
  if (answer === 'consent' || answer === 'signIn') return answer;
  await takeRequest(tx, orgId, interaction.hash);
  if ('refused' in answer) {
    await denyPendingAuthorization(tx, orgId, held.hash);
    const requestedScopes = held.scopes.join(' ').slice(0, 1_024);
    const debugData = { requestedScopes, grantType: POLLING_FLOWS[held.kind].grantType };
    if (answer.app !== undefined) record(appSignOnDenied(client, answer.app, session));
    record(refusedRequestEvent(answer.refused, { client, server, session }, debugData));
    return isAllowed && interaction.consent?.decision !== 'DECLINED' ? answer : 'denied';
  }
  const { externalId, userId } = session;
  const serverId = server?.facts.id ?? '';
  const authentication = authenticationOf(session, held.acr);
  await approvePendingAuthorization(tx, orgId, held.hash, { userId, scopes: answer.scopes, authentication });
  const { clientId } = client;
  await insertSessionClient(tx, orgId, {
    sessionExternalId: externalId,
    clientId,
    serverId,
    baseUrl: context.baseUrl,
    createdAt: now,
  });
  record(signedOnEvent(session, client));
  return 'allowed';
}

/**
 * Stores a user's answer to a pending authorization, unless consent or a new sign-in is missing. If the user allows a
 * request that may not be granted, the request is denied.
 */
export const answerPendingAuthorization = (
  { work }: { readonly work: Work },
  context: Context,
  question: UserInteraction,
  signedIn: SignedInUser,
  isAllowed: boolean,
): Promise<AnswerOutcome> =>
  work(context, async (tx, record): Promise<AnswerOutcome> => {
    const locked = await lockAll(tx, context, question, signedIn);
    return locked === null ? 'over' : settle(tx, record, context, question, locked, isAllowed);
  });
