import type { Context } from '../../../kernel/context.ts';
import type { OAuthErrorCode } from '../../../kernel/errors/oauth-errors.ts';

import type { Tx } from '../../../platform/postgres/index.ts';
import type { Record } from '../../../system-log/index.ts';
import { type AccessTokens, newAccessTokenId, type OpenedSigner, type TokenSigner } from '../../access-tokens/index.ts';
import { type AppPolicies, findAppPolicies } from '../../app-sign-on/index.ts';
import { appSignOnDeniedEvent } from '../../authorization/events.ts';
import { moveSessionClient } from '../../authorization/store.ts';
import { parameter } from '../../client-authentication/credentials-rules.ts';
import { isRefusal, type OAuthErrorRefusal, refusalOf } from '../../client-authentication/refusal.ts';
import { useOnce } from '../../client-authentication/single-use.ts';
import {
  decideUserTokens,
  ID_TOKEN_LIFETIME_SECONDS,
  lockTokenParents,
  mintIdToken,
  mintUserAccessToken,
  newIdTokenId,
  type UserTokenDecision,
} from '../../user-tokens/index.ts';
import { actorOf, refusalEvent } from '../events.ts';
import { refusalOfGrantType, toldAs } from '../grants/grant-refusals.ts';
import type {
  GrantRefusal,
  ReadUserGrant,
  TokenPlace,
  ToldRefreshToken,
  UserGrant,
  UserGrantPorts,
} from '../grants/user-grant.ts';
import { ClientChanged, type Proof, type ProvePorts, proveClient, proveKey, usedUpBy } from '../prove-client.ts';
import type { Refusals } from '../refusals.ts';
import type { TokenRequest } from '../request-rules.ts';
import type { IssuedToken } from './issue-token.ts';
import { tokenUserTarget, userGrantEvents } from './user-events.ts';

export interface IssueUserTokensPorts extends UserGrantPorts, ProvePorts {
  readonly accessTokens: Pick<AccessTokens, 'signer'>;
  readonly refusals: Refusals;
}

/** The client goes on by what it was told: the log is for what went wrong. */
const IS_NO_FAILURE: ReadonlySet<OAuthErrorCode> = new Set([
  'useDpopNonce',
  'authorizationPending',
  'slowDown',
  'backchannelPending',
  'backchannelSlowDown',
]);

/** A grant of users, as the table has it. */
export interface UserGrantKind {
  readonly grantType: string;
  readonly read: ReadUserGrant;
}

/** What was decided and written, to be signed. */
interface Issued {
  readonly decision: UserTokenDecision;
  readonly jti: string;
  readonly idJti: string | null;
  readonly refresh: ToldRefreshToken | null;
  readonly signer: TokenSigner;
}

interface Asked extends Proof {
  readonly signer: OpenedSigner;
  readonly place: TokenPlace;
  readonly kind: UserGrantKind;
  readonly grant: UserGrant;
  readonly appPolicies: AppPolicies;
}

const eventServer = ({ server }: TokenPlace) =>
  server === null ? null : { id: server.facts.id, name: server.facts.name };

const after = (now: Date, seconds: number): Date => new Date(now.getTime() + seconds * 1_000);

const epochSeconds = (date: Date): number => Math.floor(date.getTime() / 1_000);

/** So many seconds, but no longer than what the client brought. */
const lifetimeOf = (now: Date, { expiresBy }: UserGrant, seconds: number): number =>
  expiresBy === undefined ? seconds : Math.min(seconds, epochSeconds(expiresBy) - epochSeconds(now));

/** Writes the events of a grant, and says what is to be signed. */
function granted(
  context: Context,
  { grant, key, kind, place, proven }: Asked,
  record: Record,
  { decision, jti, refresh, signer }: Omit<Issued, 'idJti'>,
): Issued {
  const { now } = context;
  const idJti = decision.scopes.includes('openid') ? newIdTokenId(decision.issuedAt) : null;
  const debugData = { ...decision.debugData, ...grant.debugData };
  const events = userGrantEvents(proven.client, {
    decision: { ...decision, debugData },
    server: place.server,
    provenBy: proven.method,
    grantType: kind.grantType,
    requestedScopes: grant.requestedScopes,
    tokenType: key === null ? 'Bearer' : 'DPoP',
    sessionExternalId: grant.authentication.sessionExternalId,
    access: { jti, expiresAt: after(now, decision.lifetimeSeconds) },
    id:
      idJti === null ? null : { jti: idJti, expiresAt: after(now, lifetimeOf(now, grant, ID_TOKEN_LIFETIME_SECONDS)) },
    refresh,
  });
  for (const event of events) record(event);
  return { decision, jti, idJti, refresh, signer };
}

/** Tokens name their issuer by the address of this request; whoever ends the session must name it so too. */
async function noteIssuer(tx: Tx, { baseUrl, orgId }: Context, { grant, place, proven }: Asked): Promise<void> {
  const { details, sessionExternalId } = grant.authentication;
  if (sessionExternalId === null || details['baseUrl'] === baseUrl) return;
  const { clientId } = proven.client;
  const serverId = place.server?.facts.id ?? '';
  await moveSessionClient(tx, orgId, { sessionExternalId, clientId, serverId, baseUrl });
}

const scopesAskedBy = ({ grantedScopes, requestedScopes }: UserGrant) => grantedScopes ?? requestedScopes;

/** What must be locked. */
const placeOf = ({ appPolicies, grant, place, proven }: Asked) => ({
  userId: grant.userId,
  clientId: proven.client.clientId,
  server: place.server,
  requestedScopes: scopesAskedBy(grant),
  appPolicies,
  mayBeginFamily: grant.admission !== 'refreshToken',
  isUserAbsent: grant.authentication.authTime === null,
});

/**
 * Uses up what the client brought, and grants, in one transaction with the events of either outcome. Null: the client
 * has changed since it was read. Everything is asked again under the locks of user, app, server and scopes, so that no
 * token is born behind the end of one of them; what the client brought is locked last.
 */
function grantTokens(
  { refusals, work }: IssueUserTokensPorts,
  context: Context,
  asked: Asked,
): Promise<Issued | OAuthErrorRefusal | null> {
  const { grant, key, kind, place, proven } = asked;
  const { client, method } = proven;
  const { orgId } = context;
  const isWritten = refusals.isWritten(context, client);
  const { requestedScopes } = grant;
  const outcome = work(context, async (tx, record) => {
    const names = usedUpBy({ key, proven });
    const [parents, held, ...uses] = await Promise.all([
      lockTokenParents(tx, context, placeOf(asked)),
      grant.hold(tx),
      ...names.map((name) => useOnce(tx, orgId, client.clientId, name)),
    ]);
    const { live, user } = parents;
    const refuse = ({ app, description, refused }: GrantRefusal, isProven = true): OAuthErrorRefusal => {
      const told = user === undefined ? {} : { user: tokenUserTarget(user) };
      const provenBy = isProven ? method : null;
      const server = eventServer(place);
      const refusal = { code: refused, grantType: kind.grantType, requestedScopes, provenBy, server, ...told };
      if (isWritten()) {
        if (app !== undefined) record(appSignOnDeniedEvent(client, app, { actor: actorOf(client) }, told.user ?? null));
        record(refusalEvent(context, client, refusal));
      }
      return refusalOf(refused, client, description === undefined ? {} : { description });
    };
    if (live === undefined || live.validAfter.getTime() !== client.validAfter.getTime()) throw new ClientChanged();
    const usedBefore = names.find((_, index) => uses[index] === false);
    if (usedBefore !== undefined) return refuse(usedBefore, false);
    const refuseGrant = async (refusal: GrantRefusal): Promise<OAuthErrorRefusal> => {
      await refusal.effect?.(tx, record);
      return refuse(refusal);
    };
    if ('refused' in held) return refuseGrant(held);
    const decided = decideUserTokens(context, {
      client,
      server: place.server,
      parents,
      requestedScopes: scopesAskedBy(grant),
      grantType: grant.grantType,
      admission: grant.admission,
      isPublicClient: method === 'none',
      ...(held.heldSince === undefined ? {} : { heldSince: held.heldSince }),
      authentication: grant.authentication,
    });
    if ('refused' in decided) return refuse({ ...decided, refused: toldAs(grant, decided) });
    const lifetimeSeconds = lifetimeOf(context.now, grant, decided.lifetimeSeconds);
    const decision = { ...decided, lifetimeSeconds };
    const objection = grant.check?.(decision, parents) ?? null;
    if (objection !== null) return refuseGrant(objection);
    const signer = asked.signer();
    const jti = newAccessTokenId(decision.issuedAt);
    const refresh = await held.settle(
      tx,
      { decision, proven, key, jti, hasAllFamilies: parents.hasAllFamilies },
      record,
    );
    await noteIssuer(tx, context, asked);
    return granted(context, asked, record, { decision, jti, refresh, signer });
  });
  return outcome.catch((error: unknown) => {
    if (error instanceof ClientChanged) return null;
    throw error;
  });
}

async function signTokens(
  context: Context,
  { grant, key, place, proven }: Asked,
  { decision, idJti, jti, refresh, signer }: Issued,
): Promise<IssuedToken> {
  const { clientId } = proven.client;
  const { authentication, nonce } = grant;
  const tokenPlace = { server: place.server, clientId, decision, authentication };
  const confirmation = key === null ? {} : { confirmation: { jkt: key.jkt } };
  const { token } = await mintUserAccessToken(signer, context, tokenPlace, { jti, ...confirmation });
  const lifetimeSeconds = lifetimeOf(context.now, grant, ID_TOKEN_LIFETIME_SECONDS);
  const about = { nonce, accessToken: token, code: null, lifetimeSeconds };
  const idToken =
    idJti === null ? {} : { idToken: (await mintIdToken(signer, context, tokenPlace, { jti: idJti, ...about })).token };
  return {
    tokenType: key === null ? 'Bearer' : 'DPoP',
    expiresInSeconds: decision.lifetimeSeconds,
    accessToken: token,
    scopes: decision.scopes,
    ...(refresh === null ? {} : { refreshToken: refresh.text }),
    ...idToken,
    ...(grant.issuedTokenType === undefined ? {} : { issuedTokenType: grant.issuedTokenType }),
  };
}

/** The client, what it brought, and the key that its tokens are to be bound to. */
async function readAsked(
  ports: IssueUserTokensPorts,
  context: Context,
  place: TokenPlace,
  kind: UserGrantKind,
  request: TokenRequest,
): Promise<Asked | OAuthErrorRefusal> {
  const proven = await proveClient(ports, context, place, request);
  if (isRefusal(proven)) return proven;
  const wrong = refusalOfGrantType(proven.client, kind.grantType, context);
  if (wrong !== null) return wrong;
  const { dpopBoundAccessTokens: isBound } = proven.client;
  const proveOwn = (isAsked: boolean) => proveKey(ports, context, place, proven, request, isAsked);
  // First, where it is asked of every grant: without it no password is verified, and no failure counted.
  const ownKey = proveOwn(isBound);
  if (ownKey !== null && isRefusal(ownKey)) return ownKey;
  const grant = await kind.read(ports, context, place, { proven, key: ownKey }, request);
  if (isRefusal(grant)) return grant;
  const key = ownKey ?? proveOwn(grant.boundTo !== null);
  if (key !== null && isRefusal(key)) return key;
  if (grant.boundTo !== null && key?.jkt !== grant.boundTo.jkt) return refusalOf(grant.boundTo.otherKey, proven.client);
  const [signer, appPolicies] = await Promise.all([
    ports.accessTokens.signer(context.orgId, place.server?.facts.id),
    findAppPolicies(ports, context),
  ]);
  return { proven, key, place, kind, grant, signer, appPolicies };
}

/**
 * Issues tokens of a user to a client: an access token, an ID token where `openid` is granted, a refresh token where
 * `offline_access` is. A refusal is returned: its event is committed. Throws where a token can't be signed: then
 * nothing is used up.
 */
export async function issueUserTokens(
  ports: IssueUserTokensPorts,
  context: Context,
  place: TokenPlace,
  kind: UserGrantKind,
  request: TokenRequest,
): Promise<IssuedToken | OAuthErrorRefusal> {
  const requestedScopes = parameter(request.form, 'scope') ?? '';
  const noted = async (refusal: OAuthErrorRefusal): Promise<OAuthErrorRefusal> => {
    if (IS_NO_FAILURE.has(refusal.refused)) return refusal;
    const asked = { grantType: kind.grantType, requestedScopes, server: eventServer(place) };
    await ports.refusals.note(context, refusal, asked);
    return refusal;
  };
  // The second time with what the database says now: the client was changed while it asked.
  for (const attempt of [1, 2]) {
    if (attempt > 1) ports.authenticator.drop(context.orgId);
    const asked = await readAsked(ports, context, place, kind, request);
    if (isRefusal(asked)) return noted(asked);
    const issued = await grantTokens(ports, context, asked);
    if (issued === null) continue;
    return isRefusal(issued) ? issued : signTokens(context, asked, issued);
  }
  return noted(refusalOf('invalidClient'));
}
