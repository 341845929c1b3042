import type { Context } from '../../../kernel/context.ts';
import type { OAuthErrorCode } from '../../../kernel/errors/oauth-errors.ts';
import type { GrantType } from '../../../kernel/grant-types.ts';
import type { LiveClient } from '../../../management/apps/index.ts';
import { assuming, isAloneInShared, isShared, needOwnTransaction, type Tx } from '../../../platform/postgres/index.ts';
import type { Record, SharedWork, Target } from '../../../system-log/index.ts';
import type { AccessTokens, OpenedSigner } from '../../access-tokens/index.ts';
import { appSignOnDeniedEvent } from '../../authorization/events.ts';
import { parameter } from '../../client-authentication/credentials-rules.ts';
import { isRefusal, type OAuthErrorRefusal, refusalOf } from '../../client-authentication/refusal.ts';
import {
  type AuthenticatedRequest,
  type AuthenticationPorts,
  authenticateTokenRequest,
  ClientChanged,
  type RequestSingleUse,
  readDpopKey,
  singleUsesOf,
} from '../authenticate-request.ts';
import { actorOf, eventServer, refusalEvent } from '../events.ts';
import { refusalOfGrantType } from '../grants/grant-refusals.ts';
import type { GrantRefusal, TokenPlace, UserGrant, UserGrantPorts } from '../grants/user-grant.ts';
import type { Refusals } from '../refusals.ts';
import { readGrantType, type TokenRequest } from '../request-rules.ts';

export interface IssueTokensPorts extends UserGrantPorts, AuthenticationPorts {
  readonly sharedWork: { readonly [Name in SharedWorkName]: SharedWork };
  readonly accessTokens: Pick<AccessTokens, 'signer'>;
  readonly refusals: Refusals;
}

export interface IssuedToken {
  readonly tokenType: 'Bearer' | 'DPoP';
  readonly expiresInSeconds: number;
  readonly accessToken: string;
  /** Scopes are spelled as they appear on the wire. */
  readonly scopes: readonly string[];
  readonly refreshToken?: string;
  readonly idToken?: string;
  readonly issuedTokenType?: string;
}

/** Signs the granted tokens once the transaction is committed. */
type SignTokens = () => Promise<IssuedToken>;

export interface LockedGrant {
  readonly live: LiveClient | undefined;
  /** The outcome for each single-use credential; false means a replay. */
  readonly consumed: readonly boolean[];
  readonly user?: Target;
  /** Decides about the grant. If tokens are issued, opens the signer first, and then writes the events. */
  readonly decide: (record: Record, openSigner: OpenedSigner, live: LiveClient) => Promise<SignTokens | GrantRefusal>;
}

type LockGrant = (tx: Tx, singleUses: readonly RequestSingleUse[]) => Promise<LockedGrant>;

/**
 * Requests of clients for themselves and for users never share a transaction, because the former may wait for another
 * use of a credential.
 */
type SharedWorkName = 'clients' | 'users';

interface SharedLock {
  readonly work: SharedWorkName;
  /** Requests with the same key never share a transaction. */
  readonly key: string;
  /** Does the same as `lock`, together with other requests. */
  readonly lock: LockGrant;
}

export interface PreparedGrant {
  /** Takes the locks, reads again under them, and consumes the single-use credentials. */
  readonly lock: LockGrant;
  /**
   * Does the same as `lock` without awaiting the results. The unit of work fails if the grant is no longer as it was
   * read, or if a credential is a replay (see `assuming`). Null means that the decision needs `lock`.
   */
  readonly assume: LockGrant | null;
  /** How the request may share a transaction with others (ADR 0082); null if it may not. */
  readonly shared: SharedLock | null;
}

/** The grant of a request, read without a lock. */
export interface Grant extends Pick<UserGrant, 'boundTo' | 'requestedScopes'> {
  readonly prepare: (request: AuthenticatedRequest) => Promise<PreparedGrant>;
}

export interface GrantReader {
  /** Whether a client that is not registered for the grant type is refused before its grant is read. */
  readonly isRegistrationAskedFirst: boolean;
  readonly read: (
    ports: IssueTokensPorts,
    context: Context,
    place: TokenPlace,
    sender: AuthenticatedRequest,
    request: TokenRequest,
  ) => Promise<Grant | OAuthErrorRefusal>;
}

export type GrantReaders = { readonly [Name in GrantType]: GrantReader };

interface ReadTokenRequest extends AuthenticatedRequest {
  readonly grantType: GrantType;
  readonly place: TokenPlace;
  readonly requestedScopes: string;
  readonly openSigner: OpenedSigner;
  readonly prepared: PreparedGrant;
}

/** Errors that are normal steps of a protocol and therefore leave no event. */
const NO_FAILURES: ReadonlySet<OAuthErrorCode> = new Set([
  'useDpopNonce',
  'authorizationPending',
  'slowDown',
  'backchannelPending',
  'backchannelSlowDown',
]);

async function readTokenRequest(
  ports: IssueTokensPorts,
  context: Context,
  place: TokenPlace,
  { grantType, reader }: { readonly grantType: GrantType; readonly reader: GrantReader },
  request: TokenRequest,
): Promise<ReadTokenRequest | OAuthErrorRefusal> {
  const authenticated = await authenticateTokenRequest(ports, context, place, request);
  if (isRefusal(authenticated)) return authenticated;
  const { client } = authenticated;
  const wrong = reader.isRegistrationAskedFirst ? refusalOfGrantType(client, grantType, context) : null;
  if (wrong !== null) return wrong;
  const readKey = (isBound: boolean) => readDpopKey(ports, context, place, authenticated, request, isBound);
  // A DPoP proof that the client must always send is checked before the grant is read, so that no password is verified
  // without it.
  const ownKey = readKey(client.dpopBoundAccessTokens);
  if (ownKey !== null && isRefusal(ownKey)) return ownKey;
  const grant = await reader.read(ports, context, place, { authenticated, key: ownKey }, request);
  if (isRefusal(grant)) return grant;
  const { boundTo, requestedScopes } = grant;
  const key = ownKey ?? readKey(boundTo !== null);
  if (key !== null && isRefusal(key)) return key;
  if (boundTo !== null && key?.jkt !== boundTo.jkt) return refusalOf(boundTo.otherKey, client);
  const [openSigner, prepared] = await Promise.all([
    ports.accessTokens.signer(context.orgId, place.server?.facts.id),
    grant.prepare({ authenticated, key }),
  ]);
  return { authenticated, key, grantType, place, requestedScopes, openSigner, prepared };
}

/**
 * Runs the use case under the locks of the grant. Without others in a shared transaction, the use case relies on what
 * was read, so that it need not wait for locks.
 */
function workOn<Result>(
  { sharedWork, work }: IssueTokensPorts,
  context: Context,
  { assume, lock, shared }: PreparedGrant,
  decideUnder: (lockIn: (tx: Tx) => LockGrant) => (tx: Tx, record: Record) => Promise<Result>,
): Promise<Result> {
  const locked = decideUnder(() => lock);
  if (shared === null && assume === null) return work(context, locked);
  if (shared === null) {
    const assumed = decideUnder(() => assume ?? lock);
    return assuming(
      () => work(context, assumed),
      () => work(context, locked),
    );
  }
  const lockIn = (tx: Tx): LockGrant => {
    if (!isShared(tx)) return lock;
    return assume !== null && isAloneInShared(tx) ? assume : shared.lock;
  };
  return sharedWork[shared.work](context, shared.key, decideUnder(lockIn));
}

/**
 * Decides about the grant in one transaction. Returns null if the client was deleted, or its watermark raised, after it
 * was read.
 */
function grantTokens(
  ports: IssueTokensPorts,
  context: Context,
  tokenRequest: ReadTokenRequest,
): Promise<SignTokens | OAuthErrorRefusal | null> {
  const { grantType, place, prepared, requestedScopes } = tokenRequest;
  const { client, method } = tokenRequest.authenticated;
  const isWritten = ports.refusals.isWritten(context, client);
  const decideUnder =
    (lockIn: (tx: Tx) => LockGrant) =>
    async (tx: Tx, record: Record): Promise<SignTokens | OAuthErrorRefusal> => {
      const singleUses = singleUsesOf(tokenRequest);
      const { consumed, decide, live, user } = await lockIn(tx)(tx, singleUses);
      const refuse = ({ app, description, refused: code }: GrantRefusal, isAuthenticated = true): OAuthErrorRefusal => {
        const authenticatedBy = isAuthenticated ? method : null;
        const about = user === undefined ? {} : { user };
        if (isWritten()) {
          if (app !== undefined) record(appSignOnDeniedEvent(client, app, { actor: actorOf(client) }, user ?? null));
          const refusal = {
            code,
            grantType,
            requestedScopes,
            authenticatedBy,
            server: eventServer(place.server),
            ...about,
          };
          record(refusalEvent(context, client, refusal));
        }
        return refusalOf(code, client, description === undefined ? {} : { description });
      };
      if (live === undefined || live.validAfter.getTime() !== client.validAfter.getTime()) throw new ClientChanged();
      const replayed = singleUses.find((_, index) => consumed[index] === false);
      if (replayed !== undefined) return refuse({ refused: replayed.refused }, false);
      const decided = await decide(record, tokenRequest.openSigner, live);
      if (typeof decided === 'function') return decided;
      if (decided.effect !== undefined) needOwnTransaction(tx);
      await decided.effect?.(tx, record);
      return refuse(decided);
    };
  return workOn(ports, context, prepared, decideUnder).catch((error: unknown) => {
    if (error instanceof ClientChanged) return null;
    throw error;
  });
}

/** Records a refusal that `grantTokens` has not recorded, unless it is a normal step of a protocol. */
async function noted(
  { refusals }: IssueTokensPorts,
  context: Context,
  { server }: TokenPlace,
  { form }: TokenRequest,
  refusal: OAuthErrorRefusal,
): Promise<OAuthErrorRefusal> {
  if (NO_FAILURES.has(refusal.refused)) return refusal;
  const grantType = parameter(form, 'grant_type') ?? '';
  const requestedScopes = parameter(form, 'scope') ?? '';
  await refusals.note(context, refusal, { grantType, requestedScopes, server: eventServer(server) });
  return refusal;
}

/**
 * Issues the tokens that a client requests. A refusal is returned instead of thrown, so that its event is committed.
 */
export async function issueTokens(
  ports: IssueTokensPorts,
  context: Context,
  place: TokenPlace,
  readers: GrantReaders,
  request: TokenRequest,
): Promise<IssuedToken | OAuthErrorRefusal> {
  const refuse = (refusal: OAuthErrorRefusal) => noted(ports, context, place, request, refusal);
  const read = readGrantType(request, place.server);
  if (typeof read !== 'string') return refuse({ ...read, client: null });
  const kind = { grantType: read, reader: readers[read] };
  // If `grantTokens` returns null, the client's data was outdated, so the second attempt reads it again.
  for (const attempt of [1, 2]) {
    if (attempt > 1) ports.authenticator.drop(context.orgId);
    const tokenRequest = await readTokenRequest(ports, context, place, kind, request);
    if (isRefusal(tokenRequest)) return refuse(tokenRequest);
    const granted = await grantTokens(ports, context, tokenRequest);
    if (granted !== null) return typeof granted === 'function' ? granted() : granted;
  }
  return refuse(refusalOf('invalidClient'));
}
