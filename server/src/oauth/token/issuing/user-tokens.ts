import type { Context } from '../../../kernel/context.ts';
import { GRANT_TYPES, type UserGrantType } from '../../../kernel/grant-types.ts';
import { needOwnTransaction, type Tx } from '../../../platform/postgres/index.ts';
import type { Record } from '../../../system-log/index.ts';
import { newAccessTokenId, type OpenedSigner, type TokenSigner } from '../../access-tokens/index.ts';
import { type AppPolicies, findAppPolicies } from '../../app-sign-on/index.ts';
import { moveSessionClient } from '../../authorization/store.ts';
import { isRefusal } from '../../client-authentication/refusal.ts';
import { assumeUnused, consume } from '../../client-authentication/replay-protection.ts';
import {
  assumeParents,
  decideUserTokens,
  ID_TOKEN_LIFETIME_SECONDS,
  lockSeenParents,
  lockTokenParents,
  mintIdToken,
  mintUserAccessToken,
  newIdTokenId,
  parentsAsSeen,
  type TokenParents,
  type UserTokenDecision,
} from '../../user-tokens/index.ts';
import { type AuthenticatedRequest, type RequestSingleUse, singleUsesOf } from '../authenticate-request.ts';
import { toldAs } from '../grants/grant-refusals.ts';
import type {
  GrantRefusal,
  IssuedRefreshToken,
  LockedUserGrant,
  ReadUserGrant,
  SeenGrant,
  TokenPlace,
  UserGrant,
} from '../grants/user-grant.ts';
import type { GrantReader, IssuedToken, LockedGrant, PreparedGrant } from './issue-tokens.ts';
import { tokenUserTarget, userGrantEvents } from './user-events.ts';

interface Issued {
  readonly decision: UserTokenDecision;
  readonly jti: string;
  readonly idJti: string | null;
  readonly refresh: IssuedRefreshToken | null;
  readonly signer: TokenSigner;
}

interface ReadTokenRequest extends AuthenticatedRequest {
  readonly place: TokenPlace;
  readonly grantType: UserGrantType;
  readonly grant: UserGrant;
  readonly appPolicies: AppPolicies;
}

const after = (now: Date, seconds: number): Date => new Date(now.getTime() + seconds * 1_000);

const epochSeconds = (date: Date): number => Math.floor(date.getTime() / 1_000);

const lifetimeOf = (now: Date, { expiresBy }: UserGrant, seconds: number): number =>
  expiresBy === undefined ? seconds : Math.min(seconds, epochSeconds(expiresBy) - epochSeconds(now));

function granted(
  context: Context,
  { authenticated, grant, grantType, key, place }: ReadTokenRequest,
  record: Record,
  { decision, jti, refresh, signer }: Omit<Issued, 'idJti'>,
): Issued {
  const { now } = context;
  const idJti = decision.scopes.includes('openid') ? newIdTokenId(decision.issuedAt) : null;
  const debugData = { ...decision.debugData, ...grant.debugData };
  const events = userGrantEvents(authenticated.client, {
    decision: { ...decision, debugData },
    server: place.server,
    authenticatedBy: authenticated.method,
    grantType,
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

/** Records the base URL of this request, from which logout notices derive the issuer of the app's ID tokens. */
async function noteIssuer(
  tx: Tx,
  { baseUrl, orgId }: Context,
  { authenticated, grant, place }: ReadTokenRequest,
): Promise<void> {
  const { details, sessionExternalId } = grant.authentication;
  if (sessionExternalId === null || details['baseUrl'] === baseUrl) return;
  needOwnTransaction(tx);
  const { clientId } = authenticated.client;
  const serverId = place.server?.facts.id ?? '';
  await moveSessionClient(tx, orgId, { sessionExternalId, clientId, serverId, baseUrl });
}

const scopesAskedBy = ({ grantedScopes, requestedScopes }: UserGrant) => grantedScopes ?? requestedScopes;

const placeOf = ({ appPolicies, authenticated, grant, grantType, place }: ReadTokenRequest) => ({
  userId: grant.userId,
  clientId: authenticated.client.clientId,
  server: place.server,
  requestedScopes: scopesAskedBy(grant),
  appPolicies,
  mayBeginFamily: grantType !== 'refresh_token',
  isUserAbsent: grant.authentication.authTime === null,
});

/** Is called after the decision, as soon as the grant is settled or the tokens are refused. */
type Settled = (isRefused: boolean) => void;

interface Decidable extends Pick<Locked, 'parents' | 'tx' | 'settled'> {
  readonly held: LockedUserGrant;
}

async function decide(
  context: Context,
  tokenRequest: ReadTokenRequest,
  { held, parents, settled, tx }: Decidable,
  record: Record,
  openSigner: OpenedSigner,
): Promise<Issued | GrantRefusal> {
  const { authenticated, grant, grantType, key, place } = tokenRequest;
  const { client, method } = authenticated;
  const decided = decideUserTokens(context, {
    client,
    server: place.server,
    parents,
    requestedScopes: scopesAskedBy(grant),
    grantType: grant.grantType,
    admission: GRANT_TYPES[grantType].admission.path,
    isPublicClient: method === 'none',
    ...(held.heldSince === undefined ? {} : { heldSince: held.heldSince }),
    authentication: grant.authentication,
  });
  if ('refused' in decided) return { ...decided, refused: toldAs(grant, decided) };
  const lifetimeSeconds = lifetimeOf(context.now, grant, decided.lifetimeSeconds);
  const decision = { ...decided, lifetimeSeconds };
  const objection = grant.check?.(decision, parents) ?? null;
  if (objection !== null) return objection;
  const signer = openSigner();
  const jti = newAccessTokenId(decision.issuedAt);
  const { hasAllFamilies } = parents;
  const refresh = await held.settle(tx, { decision, authenticated, key, jti, hasAllFamilies }, record);
  settled?.(false);
  await noteIssuer(tx, context, tokenRequest);
  return granted(context, tokenRequest, record, { decision, jti, refresh, signer });
}

interface Locked extends Pick<LockedGrant, 'consumed'> {
  readonly held: LockedUserGrant | GrantRefusal;
  readonly settled?: Settled | undefined;
  readonly parents: TokenParents;
  readonly tx: Tx;
}

function lockedAs(
  context: Context,
  tokenRequest: ReadTokenRequest,
  { consumed, held, parents, settled, tx }: Locked,
): LockedGrant {
  const { live, user } = parents;
  return {
    live,
    consumed,
    ...(user === undefined ? {} : { user: tokenUserTarget(user) }),
    decide: async (record, openSigner) => {
      if ('refused' in held) return held;
      const issued = await decide(context, tokenRequest, { held, parents, settled, tx }, record, openSigner);
      if (!('refused' in issued)) return () => signTokens(context, tokenRequest, issued);
      settled?.(true);
      return issued;
    },
  };
}

/** Locks what the tokens depend on, and then the presented grant. Consumes the single-use credentials. */
async function lock(
  context: Context,
  tokenRequest: ReadTokenRequest,
  tx: Tx,
  singleUses: readonly RequestSingleUse[],
): Promise<LockedGrant> {
  const { clientId } = tokenRequest.authenticated.client;
  const [parents, held, ...consumed] = await Promise.all([
    lockTokenParents(tx, context, placeOf(tokenRequest)),
    tokenRequest.grant.lock(tx),
    ...singleUses.map((singleUse) => consume(tx, context.orgId, clientId, singleUse)),
  ]);
  return lockedAs(context, tokenRequest, { consumed, held, parents, tx });
}

/**
 * Does what `lock` does, without awaiting the results. The unit of work fails if the grant or its parents were changed
 * after the read, or if a credential is a replay (see `assuming`).
 */
function assume(
  context: Context,
  tokenRequest: ReadTokenRequest,
  { parents, seen }: { readonly parents: TokenParents; readonly seen: SeenGrant },
  tx: Tx,
  singleUses: readonly RequestSingleUse[],
): Promise<LockedGrant> {
  const { clientId } = tokenRequest.authenticated.client;
  assumeParents(tx, context.orgId, seen.parents);
  // The grant is locked before the credentials are consumed, as in `lock`, so that the two cannot deadlock.
  const settled: Settled = (isRefused) => {
    if (isRefused) seen.assume(tx);
    for (const singleUse of singleUses) assumeUnused(tx, context.orgId, clientId, singleUse);
  };
  const consumed = singleUses.map(() => true);
  return Promise.resolve(lockedAs(context, tokenRequest, { consumed, held: seen.held, parents, settled, tx }));
}

/**
 * Does what `lock` does, together with requests that present other grants. The request needs a transaction of its own
 * if the grant or its parents were changed after the read, or if another transaction has locked them.
 */
async function lockShared(
  context: Context,
  tokenRequest: ReadTokenRequest,
  { parents, seen }: { readonly parents: TokenParents; readonly seen: SeenGrant },
  tx: Tx,
): Promise<LockedGrant> {
  const { held, lock: lockGrant } = seen.shared;
  const areSeen = await Promise.all([lockSeenParents(tx, context.orgId, seen.parents), lockGrant(tx)]);
  if (areSeen.includes(false)) needOwnTransaction(tx);
  return lockedAs(context, tokenRequest, { consumed: [], held, parents, tx });
}

async function signTokens(
  context: Context,
  { authenticated, grant, key, place }: ReadTokenRequest,
  { decision, idJti, jti, refresh, signer }: Issued,
): Promise<IssuedToken> {
  const { clientId } = authenticated.client;
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

export const userGrant = (grantType: UserGrantType, read: ReadUserGrant): GrantReader => ({
  isRegistrationAskedFirst: true,
  read: async (ports, context, place, sender, request) => {
    const grant = await read(ports, context, place, sender, request);
    if (isRefusal(grant)) return grant;
    return {
      boundTo: grant.boundTo,
      requestedScopes: grant.requestedScopes,
      prepare: async ({ authenticated, key }) => {
        const appPolicies = await findAppPolicies(ports, context);
        const tokenRequest = { authenticated, key, place, grantType, grant, appPolicies };
        const { seen } = grant;
        const parents = seen === undefined ? null : parentsAsSeen(placeOf(tokenRequest), seen.parents);
        const locking: PreparedGrant['lock'] = (tx, singleUses) => lock(context, tokenRequest, tx, singleUses);
        if (seen === undefined || parents === null) return { lock: locking, assume: null, shared: null };
        const known = { parents, seen };
        return {
          lock: locking,
          assume: (tx, singleUses) => assume(context, tokenRequest, known, tx, singleUses),
          // The use of a credential may wait for another transaction.
          shared:
            singleUsesOf(tokenRequest).length > 0
              ? null
              : { work: 'users', key: seen.shared.key, lock: (tx) => lockShared(context, tokenRequest, known, tx) },
        };
      },
    };
  },
});
