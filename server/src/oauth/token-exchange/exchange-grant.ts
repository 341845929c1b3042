import { createHash } from 'node:crypto';
import { admits } from '../../access/index.ts';
import type { Context } from '../../kernel/context.ts';
import type { OAuthErrorCode } from '../../kernel/errors/oauth-errors.ts';
import { TOKEN_EXCHANGE_GRANT } from '../../kernel/grant-types.ts';
import type { ClientId } from '../../kernel/words/ids.ts';
import { isTrustedServer } from '../../management/authorization-servers/index.ts';
import { hashSecret } from '../../platform/crypto/index.ts';
import type { Tx } from '../../platform/postgres/index.ts';
import { isSessionLive } from '../../sign-in/index.ts';
import { type Actor, isTokenRevoked } from '../access-tokens/index.ts';
import { refusalOf } from '../client-authentication/refusal.ts';
import { readConsents } from '../consents/index.ts';
import { lockFamily } from '../refresh-tokens/index.ts';
import { refusalOfStaying, refusalOfUnaskedConsent } from '../token/grants/unasked-consent.ts';
import type {
  GrantRefusal,
  LockedUserGrant,
  ReadUserGrant,
  TokenPlace,
  UserGrant,
} from '../token/grants/user-grant.ts';
import { startRefreshToken } from '../token/issuing/start-refresh-token.ts';
import { issuerAt, type TokenParents, type UserTokenDecision } from '../user-tokens/index.ts';
import { actingBy } from './acting-rules.ts';
import { type PresentedToken, readAccessToken, readIdToken } from './presented-token.ts';
import { ACCESS_TOKEN_TYPE, readExchangeRequest } from './request-rules.ts';
import { exceeds } from './scope-rules.ts';

/** The scope with which clients request a refresh token. */
const STAY = 'offline_access';

type ExchangePorts = Parameters<ReadUserGrant>[0]['exchange'];

const serverIdOf = ({ server }: TokenPlace): string => server?.facts.id ?? '';

const audiencesOf = ({ baseUrl }: Context, { server }: TokenPlace): readonly string[] =>
  server === null ? [baseUrl] : server.facts.audiences;

/** Reads the subject token, which must be valid and about a user. Only an access token may belong to another client. */
async function readSubject(
  ports: ExchangePorts,
  context: Context,
  clientId: ClientId,
  { token, type }: { readonly token: string; readonly type: 'access' | 'id' },
): Promise<(PresentedToken & { readonly userId: string }) | OAuthErrorCode> {
  const subject =
    type === 'access'
      ? await readAccessToken(ports, context, token)
      : await readIdToken(ports, context, clientId, token);
  if (subject === 'EXPIRED') return 'subjectTokenExpired';
  if (subject === 'INVALID') return 'invalidSubjectToken';
  const { userId } = subject;
  return userId === null ? 'invalidSubjectToken' : { ...subject, userId };
}

/** Reads the actor token, which must be the client's own and must not itself name an actor. */
async function readActing(
  ports: ExchangePorts,
  context: Context,
  clientId: ClientId,
  token: string | null,
): Promise<PresentedToken | null | OAuthErrorCode> {
  if (token === null) return null;
  const acting = await readAccessToken(ports, context, token);
  if (typeof acting === 'string' || acting.actor !== null) return 'invalidActorToken';
  return acting.clientId === clientId ? acting : 'actorTokenOfOtherClient';
}

/** Returns the key to which the tokens are bound; null if there is none, undefined if there are several. */
function keyOf(tokens: readonly PresentedToken[]): string | null | undefined {
  const keys = [...new Set(tokens.flatMap(({ jkt }) => (jkt === null ? [] : [jkt])))];
  return keys.length > 1 ? undefined : (keys[0] ?? null);
}

/**
 * Checks in the transaction that this server trusts the token's server, the token is not revoked, and its session, if
 * any, is open.
 */
async function refusalNow(
  tx: Tx,
  { now, orgId }: Context,
  place: TokenPlace,
  { authentication, jti, serverId }: PresentedToken,
): Promise<'untrustedServer' | 'revoked' | 'ended' | null> {
  const atServerId = serverIdOf(place);
  const { sessionExternalId } = authentication;
  const [isRevoked, isTrusted, isOpen] = await Promise.all([
    isTokenRevoked(tx, orgId, hashSecret(jti)),
    serverId === atServerId || (serverId !== '' && isTrustedServer(tx, orgId, atServerId, serverId)),
    sessionExternalId === null || isSessionLive(tx, orgId, sessionExternalId, now),
  ]);
  if (!isTrusted) return 'untrustedServer';
  if (isRevoked) return 'revoked';
  return isOpen ? null : 'ended';
}

/** Returns whether a change since the issue of the subject token has voided the token or one of the granted scopes. */
function isVoided(
  subject: PresentedToken,
  place: TokenPlace,
  { app, scopes }: UserTokenDecision,
  parents: TokenParents,
): boolean {
  const { issuedAt } = subject;
  const { live, locked, presence, takenBack, user } = parents;
  if (user === undefined || live === undefined) return true;
  // The client's watermark does not apply, because the token may be another client's.
  const client = { status: live.status, applicationType: live.applicationType };
  const server = { status: 'ACTIVE' };
  if (admits('exchangeToken', { user, client, server, app, presence, issuedAt }) !== null) return true;
  const ofScopes = subject.serverId === serverIdOf(place) ? (locked?.scopes ?? []) : [];
  const watermarks = [...ofScopes, ...takenBack];
  return watermarks.some(({ name, validAfter }) => scopes.includes(name) && issuedAt <= validAfter);
}

/**
 * Returns the scopes to request. If the request names none and this server issued the presented access token, these are
 * the scopes of that token except `offline_access`.
 */
function scopesOf(subject: PresentedToken, place: TokenPlace, asked: string | undefined) {
  const isOwn = subject.serverId === serverIdOf(place);
  if (asked !== undefined || !isOwn || subject.scopes === null) return { requestedScopes: asked ?? '' };
  const grantedScopes = subject.scopes.filter((scope) => scope !== STAY);
  return { requestedScopes: grantedScopes.join(' '), grantedScopes };
}

async function allowedScopes(
  tx: Tx,
  { orgId }: Context,
  { server }: TokenPlace,
  clientId: ClientId,
  userId: string,
): Promise<ReadonlySet<string>> {
  if (server === null) return new Set();
  const consents = await readConsents(tx, orgId, { clientId, userId, serverId: server.facts.id });
  return new Set(consents.flatMap(({ isGranted, scopeId }) => (isGranted ? [scopeId] : [])));
}

const debugDataOf = ({ clientId, jti }: PresentedToken, actor: Actor): Readonly<Record<string, string>> => ({
  subjectTokenClientId: clientId,
  subjectTokenHash: createHash('sha256').update(jti).digest('base64url'),
  actor: actor.sub,
});

/**
 * Reads the grant of RFC 8693: a client presents a user's token and gets an access token of its own from this server.
 * The new token names the actor and expires no later than the presented token. If an app vouched for the user, the new
 * token still marks the user as absent (ADR 0060).
 */
export const readExchangeGrant: ReadUserGrant = async (ports, context, place, { authenticated }, { form }) => {
  const { client, method } = authenticated;
  const { clientId } = client;
  // Without this check, anybody who finds a token could exchange it in the name of a public client.
  if (method === 'none') return refusalOf('missingClientCredentials', client);
  const asked = readExchangeRequest(form, audiencesOf(context, place));
  if ('refused' in asked) {
    const { description, refused } = asked;
    return refusalOf(refused, client, description === undefined ? {} : { description });
  }
  const subject = await readSubject(ports.exchange, context, clientId, asked.subject);
  if (typeof subject === 'string') return refusalOf(subject, client);
  const acting = await readActing(ports.exchange, context, clientId, asked.actorToken);
  if (typeof acting === 'string') return refusalOf(acting, client);
  const brought = acting === null ? [subject] : [subject, acting];
  const jkt = keyOf(brought);
  if (jkt === undefined) return refusalOf('invalidActorToken', client);
  const self = { issuer: issuerAt(context, place.server), subject: clientId };
  const actor = actingBy(subject.actor, acting, self);
  if (actor === 'tooMany') return refusalOf('subjectTokenActors', client);

  const { details, ...known } = subject.authentication;
  const authentication = { ...known, details: { ...details, act: actor } };
  const staysOn = (asked.scope ?? '').split(' ').includes(STAY);
  let allowed: ReadonlySet<string> = new Set();
  const lock: UserGrant['lock'] = async (tx): Promise<LockedUserGrant | GrantRefusal> => {
    const now = await Promise.all(brought.map((token) => refusalNow(tx, context, place, token)));
    if (now.includes('untrustedServer')) return { refused: 'untrustedServer' };
    if (now[0] === 'ended') return { refused: 'subjectTokenExpired' };
    if (now[0] === 'revoked') return { refused: 'invalidSubjectToken' };
    if (now.some((refused) => refused !== null)) return { refused: 'invalidActorToken' };
    if (!staysOn) return { settle: () => Promise.resolve(null) };
    allowed = await allowedScopes(tx, context, place, clientId, subject.userId);
    const { jti, serverId } = subject;
    const { sessionExternalId } = authentication;
    const family = { userId: subject.userId, clientId: subject.clientId, serverId, sessionExternalId };
    const parentId = await lockFamily(tx, context.orgId, family);
    const origin = { parentId: parentId ?? '', subjectHash: hashSecret(jti) };
    const given = { server: place.server, grantType: TOKEN_EXCHANGE_GRANT, authentication, origin };
    // A refresh token must end with the family of the exchanged token, so none is issued without such a family.
    return {
      settle: (ownTx, issued, record) =>
        parentId === null
          ? Promise.resolve(null)
          : startRefreshToken(ports.refreshTexts, ownTx, record, context, issued, given),
    };
  };
  return {
    userId: subject.userId,
    ...scopesOf(subject, place, asked.scope),
    grantType: TOKEN_EXCHANGE_GRANT,
    refusedAs: 'invalidSubjectToken',
    authentication,
    nonce: null,
    boundTo: jkt === null ? null : { jkt, otherKey: 'invalidSubjectToken' },
    expiresBy: subject.expiresAt,
    issuedTokenType: ACCESS_TOKEN_TYPE,
    debugData: debugDataOf(subject, actor),
    lock,
    check: (decision, parents): GrantRefusal | null => {
      if (exceeds(subject, serverIdOf(place), decision.scopes)) return { refused: 'invalidScope' };
      if (isVoided(subject, place, decision, parents)) return { refused: 'invalidSubjectToken' };
      return (
        refusalOfStaying(client, decision, parents, allowed) ??
        refusalOfUnaskedConsent(client, decision, parents, 'consentRequiredForExchange')
      );
    },
  };
};
