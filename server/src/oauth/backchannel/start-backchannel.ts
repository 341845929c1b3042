import { randomBytes } from 'node:crypto';
import type { Context } from '../../kernel/context.ts';
import type { OAuthErrorCode } from '../../kernel/errors/oauth-errors.ts';
import { CIBA_GRANT } from '../../kernel/grant-types.ts';
import { USER_STATUS_REFUSALS } from '../../kernel/user-statuses.ts';
import { findUserById, type UserRow, type UsersPorts, userTarget } from '../../management/users/index.ts';
import { hashSecret } from '../../platform/crypto/index.ts';
import { type Tx, waitForOthers } from '../../platform/postgres/index.ts';
import { localeOf } from '../../sign-in/index.ts';
import type { Record, Work } from '../../system-log/index.ts';
import { type AppPolicies, type AppPoliciesPorts, findAppPolicies } from '../app-sign-on/index.ts';
import { appSignOnDeniedEvent, refusedRequestEvent, requestedEvent } from '../authorization/events.ts';
import { isRefused, type Refusal } from '../authorization/requests/parameter-rules.ts';
import { type OAuthErrorRefusal, refusalOf } from '../client-authentication/refusal.ts';
import { consume } from '../client-authentication/replay-protection.ts';
import { countWaitingFor, INTERVAL_SECONDS, insertPendingAuthorization } from '../pending-authorizations/index.ts';
import { actorOf } from '../token/events.ts';
import type { Refusals } from '../token/refusals.ts';
import { POLLING_FLOWS } from '../user-interaction/index.ts';
import { decideUserTokens, lockTokenParents, type TokenParents } from '../user-tokens/index.ts';
import {
  type ReceivedRequest,
  type UnderstandPorts,
  type UnderstoodRequest,
  understandRequest,
} from './understand-request.ts';

/** The maximum numbers of waiting requests. Without limits, a client could keep asking until its users give in. */
export const MAXIMUM_WAITING = { ofUser: 10, ofUserAndClient: 3 } as const;

export interface StartBackchannelPorts extends UnderstandPorts, AppPoliciesPorts {
  readonly work: Work;
  readonly users: Pick<UsersPorts, 'queueMail'>;
  readonly refusals: Pick<Refusals, 'isWritten'>;
}

export interface StartedBackchannel {
  readonly authReqId: string;
  readonly lifetimeSeconds: number;
}

/**
 * These errors in claims are ignored until the user answers, because claims may use the session in which the user
 * answers.
 */
const OF_CLAIMS: ReadonlySet<OAuthErrorCode> = new Set(['userClaimFailed', 'systemClaimFailed']);

/**
 * Returns the reason why asking the user would be pointless; null if there is no reason. A refusal because of the
 * user's status or assignment looks as if the user were unknown.
 */
function refusalOfUser(
  context: Context,
  { client, server }: ReceivedRequest,
  { scopes }: UnderstoodRequest,
  parents: TokenParents,
): Refusal | null {
  const decision = decideUserTokens(context, {
    client,
    server,
    parents,
    requestedScopes: scopes,
    grantType: CIBA_GRANT,
    admission: 'askUserElsewhere',
    authentication: { authTime: context.now, amr: [], sessionExternalId: null, details: {} },
  });
  if (!('refused' in decision)) return null;
  const { admission, refused } = decision;
  if (refused === 'userNotAssigned' || USER_STATUS_REFUSALS.has(admission ?? ''))
    return { refused: 'backchannelUnknownUser' };
  return OF_CLAIMS.has(refused) ? null : decision;
}

/**
 * The email shows neither the app nor the message, because the user must see both on the page and compare the message
 * with the one that the app shows.
 */
async function mailUser({ users }: StartBackchannelPorts, tx: Tx, context: Context, user: UserRow): Promise<void> {
  const { displayName } = userTarget(user);
  await users.queueMail(tx, context, {
    kind: 'signInRequest',
    userId: user.id,
    recipient: user.profile.email,
    displayName: displayName ?? '',
    locale: localeOf(user),
    url: context.canonicalUrl + POLLING_FLOWS.BACKCHANNEL.enter,
    validMinutes: null,
  });
}

async function store(
  tx: Tx,
  { now, orgId }: Context,
  { client, server }: ReceivedRequest,
  request: UnderstoodRequest,
  userId: string,
): Promise<StartedBackchannel> {
  const authReqId = randomBytes(32).toString('base64url');
  const { acr, bindingMessage, lifetimeSeconds, scopes } = request;
  await insertPendingAuthorization(tx, orgId, {
    hash: hashSecret(authReqId),
    kind: 'BACKCHANNEL',
    serverId: server?.facts.id ?? '',
    clientId: client.clientId,
    userCodeHash: null,
    askedUserId: userId,
    bindingMessage,
    acr,
    scopes,
    dpopJkt: null,
    intervalSeconds: INTERVAL_SECONDS,
    createdAt: now,
    expiresAt: new Date(now.getTime() + lifetimeSeconds * 1_000),
  });
  return { authReqId, lifetimeSeconds };
}

/**
 * Starts the request. Requests for the same user wait for each other, so that they cannot together exceed
 * `MAXIMUM_WAITING`.
 */
async function begin(
  ports: StartBackchannelPorts,
  tx: Tx,
  record: Record,
  context: Context,
  received: ReceivedRequest,
  { appPolicies, ...request }: UnderstoodRequest & { readonly appPolicies: AppPolicies },
): Promise<StartedBackchannel | Refusal> {
  const { client, server } = received;
  const { now, orgId } = context;
  const { clientId } = client;
  const { scopes, singleUse, userId } = request;
  if (singleUse !== null && !(await consume(tx, orgId, clientId, singleUse))) return { refused: 'requestObjectUsed' };
  if (userId === undefined) return { refused: 'backchannelUnknownUser' };
  const parents = await lockTokenParents(tx, context, {
    userId,
    clientId,
    server,
    requestedScopes: scopes,
    appPolicies,
  });
  const { live } = parents;
  if (live === undefined || live.validAfter.getTime() !== client.validAfter.getTime()) {
    return { refused: 'invalidClient' };
  }
  const refusal = refusalOfUser(context, received, request, parents);
  if (refusal !== null) return refusal;
  const user = await findUserById(tx, orgId, userId);
  if (user === undefined) return { refused: 'backchannelUnknownUser' };
  await waitForOthers(tx, orgId, `polled_requests ${userId}`);
  const waiting = await countWaitingFor(tx, orgId, { userId, clientId }, now);
  const isFull = waiting.all >= MAXIMUM_WAITING.ofUser || waiting.ofClient >= MAXIMUM_WAITING.ofUserAndClient;
  if (isFull) return { refused: 'backchannelNotBegun' };
  const started = await store(tx, context, received, request, userId);
  // A user who already has a request to answer finds this one on the same page, so only the first request is announced.
  if (waiting.all === 0) await mailUser(ports, tx, context, user);
  const debugData = { requestedScopes: scopes.join(' ').slice(0, 1_024), grantType: CIBA_GRANT };
  record({ ...requestedEvent({ client, server }, userTarget(user), debugData), actor: actorOf(client) });
  return started;
}

/**
 * Starts a request that its user answers on an account page (CIBA Core 7). Returns refusals instead of throwing them,
 * so that the transaction stores their events.
 */
export async function startBackchannel(
  ports: StartBackchannelPorts,
  context: Context,
  received: ReceivedRequest,
): Promise<StartedBackchannel | OAuthErrorRefusal> {
  const { client, form, server } = received;
  const isWritten = ports.refusals.isWritten(context, client);
  const [understood, appPolicies] = await Promise.all([
    understandRequest(ports, context, received),
    findAppPolicies(ports, context),
  ]);
  return ports.work(context, async (tx, record): Promise<StartedBackchannel | OAuthErrorRefusal> => {
    const started = isRefused(understood)
      ? understood
      : await begin(ports, tx, record, context, received, { ...understood, appPolicies });
    if (!('refused' in started)) return started;
    const { app, description, refused } = started;
    const requestedScopes = (form['scope'] ?? '').slice(0, 1_024);
    const debugData = { requestedScopes, grantType: CIBA_GRANT };
    const event = refusedRequestEvent(refused, { client, server, session: undefined }, debugData);
    if (isWritten()) {
      const actor = actorOf(client);
      if (app !== undefined) record(appSignOnDeniedEvent(client, app, { actor }, null));
      record({ ...event, actor });
    }
    return refusalOf(refused, client, description === undefined ? {} : { description });
  });
}
