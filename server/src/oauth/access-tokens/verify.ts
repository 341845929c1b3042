import { type KeyObject, verify as verifySignature } from 'node:crypto';
import { type AdmissionRefusal, admits } from '../../access/index.ts';
import type { HeldRole } from '../../kernel/words/held-role.ts';
import type { OrgId } from '../../kernel/words/ids.ts';
import { hashSecret } from '../../platform/crypto/index.ts';
import type { Authenticated } from '../../platform/http/index.ts';
import { createAuthorisationCache } from '../../platform/postgres/index.ts';
import type { Foundation } from '../../system-log/index.ts';
import { type AppHolding, type AppHoldingsPorts, createAppHoldings } from '../app-sign-on/index.ts';
import { type ParsedJws, parseJws } from '../client-authentication/jws-rules.ts';
import { ORG_SERVER, type SigningKeys } from '../keys/index.ts';
import { issuedAtOf } from './access-token-id.ts';
import { type AccessTokenClaims, isOrigin, isWithinItsTime, readClaims } from './claims-rules.ts';
import { isOpenIdScope } from './openid-scope-rules.ts';
import { findLiveClient, findLiveUser, isTokenRevoked, type LiveClient, type LiveUser } from './store.ts';

export type TokenRefusal =
  | 'MALFORMED'
  | 'ALGORITHM'
  | 'UNKNOWN_KEY'
  | 'SIGNATURE'
  | 'NOT_AN_ACCESS_TOKEN'
  | 'ISSUER'
  | 'TIME'
  | 'REVOKED'
  | 'CLIENT'
  | 'USER'
  | 'SERVER'
  | 'SCOPES';

export interface Refused {
  readonly refused: TokenRefusal;
}

export interface VerifiedToken extends AccessTokenClaims {
  readonly label: string;
  /** Null means that the client acts for itself. */
  readonly bearer: LiveUser | null;
  /** The token's scopes that can still be used, without the namespace word. */
  readonly scopes: readonly string[];
  /** The current roles of the user, or of the client if there is no user. */
  readonly roles: readonly HeldRole[];
}

/** Ways of using a client's own token, each with its own row in the admission table. */
export type TokenUse = 'useClientToken' | 'introspectClientToken';

export interface TokenVerifier {
  /** Checks only the token itself: its signature, claims, issuer and times. */
  read(orgId: OrgId, token: string, now: Date): Promise<AccessTokenClaims | Refused>;
  /** Checks the token as `read` does, and also what the token depends on. The data can be slightly out of date. */
  verify(orgId: OrgId, token: string, now: Date, use?: TokenUse): Promise<VerifiedToken | Refused>;
  /**
   * Returns null if the token is refused. Also returns null if the token is bound to a key, because the `Bearer` scheme
   * does not prove possession of the key (RFC 9449 7.2).
   */
  authenticateBearer(orgId: OrgId, token: string, now: Date): Promise<Authenticated | null>;
  drop(orgId: OrgId): void;
}

export interface TokenVerifierPorts extends AppHoldingsPorts, Pick<Foundation, 'clock' | 'namespace'> {
  readonly signingKeys: Pick<SigningKeys, 'verificationKey'>;
  /** Returns whether the org's tokens may name this origin as their issuer. */
  readonly isIssuerOrigin: (orgId: OrgId, origin: string) => boolean | Promise<boolean>;
}

const MAXIMUM_LENGTH = 16_384;

export const refused = (reason: TokenRefusal): Refused => ({ refused: reason });

/** Returns the `kid`; null for a header that this service does not write. */
function keyIdOf({ header }: ParsedJws): string | null {
  const { alg, kid } = header;
  return alg === 'RS256' && typeof kid === 'string' && Object.keys(header).length === 2 ? kid : null;
}

/** Runs on the event loop, because a round trip to a thread takes longer than verifying the signature. */
const isSignedBy = (key: KeyObject, { signature, signingInput }: ParsedJws): boolean =>
  verifySignature('sha256', Buffer.from(signingInput), key, signature);

export function authenticatedBy(token: VerifiedToken): Authenticated {
  const { bearer, clientId, issuer, jti, label, roles, scopes, user } = token;
  if (user === null || bearer === null) {
    return {
      principal: { kind: 'oauthClient', clientId, tokenId: jti, issuer },
      actor: { id: clientId, type: 'PublicClientApp', alternateId: clientId, displayName: label },
      roles,
      scopes,
    };
  }
  return {
    principal: { kind: 'oauthUser', userId: user.id, clientId, tokenId: jti, issuer },
    actor: { id: user.id, type: 'User', alternateId: bearer.login, displayName: bearer.displayName },
    roles,
    scopes,
  };
}

/** Does not check the claims. */
export async function readSigned(
  signingKeys: Pick<SigningKeys, 'verificationKey'>,
  orgId: OrgId,
  token: string,
  serverId: string = ORG_SERVER,
): Promise<Pick<ParsedJws, 'claims'> | Refused> {
  const jws = token.length > MAXIMUM_LENGTH ? null : parseJws(token);
  if (jws === null) return refused('MALFORMED');
  const kid = keyIdOf(jws);
  if (kid === null) return refused('ALGORITHM');
  const key = await signingKeys.verificationKey(orgId, kid, serverId);
  if (key === null) return refused('UNKNOWN_KEY');
  return isSignedBy(key, jws) ? jws : refused('SIGNATURE');
}

type Reader = TokenVerifier['read'];

function readerOver({ isIssuerOrigin, namespace, signingKeys }: TokenVerifierPorts): Reader {
  return async (orgId, token, now) => {
    const jws = await readSigned(signingKeys, orgId, token);
    if ('refused' in jws) return jws;
    const claims = readClaims(jws.claims, namespace.word);
    if (claims === null) return refused('NOT_AN_ACCESS_TOKEN');
    if (!isOrigin(claims.issuer) || !(await isIssuerOrigin(orgId, claims.issuer))) return refused('ISSUER');
    return isWithinItsTime(claims, now) ? claims : refused('TIME');
  };
}

/** The org's own server has no row and is never inactive. */
const ORG_PARENT = { status: 'ACTIVE' };

const REFUSALS: Partial<Record<AdmissionRefusal, TokenRefusal>> = {
  REVOKED: 'REVOKED',
  USER_STATUS: 'USER',
  APP_POLICY: 'USER',
  USER_ABSENT: 'USER',
  SERVER_INACTIVE: 'SERVER',
};

export const refusalOfUse = (refusal: AdmissionRefusal): Refused => refused(REFUSALS[refusal] ?? 'CLIENT');

/** Returns whether the user has had the app since before the credential was issued. */
export const isHeldSince = (holding: AppHolding | null, issuedAt: Date): holding is AppHolding =>
  holding !== null && holding.since !== null && holding.since < issuedAt;

/**
 * Narrows the token to its usable scopes. Refuses the token if no scope is left, or if the client or the user may not
 * use the token.
 */
function judge(
  {
    claims,
    holding,
    issuedAt,
  }: { readonly claims: AccessTokenClaims; readonly issuedAt: Date; readonly holding: AppHolding | null },
  client: LiveClient | null,
  bearer: LiveUser | null,
  use: TokenUse,
): VerifiedToken | Refused {
  if (client === null) return refused('CLIENT');
  if (claims.user !== null && (bearer === null || !isHeldSince(holding, issuedAt))) return refused('USER');
  const { applicationType, label, validAfter } = client;
  const parents = { client: { status: 'ACTIVE', applicationType, validAfter }, issuedAt };
  const refusal =
    bearer === null || holding === null
      ? admits(use, parents)
      : admits('useUserToken', { ...parents, user: bearer, app: holding, server: ORG_PARENT, presence: 'PRESENT' });
  if (refusal !== null) return refusalOfUse(refusal);
  const isHeld = (scope: string): boolean => client.scopes.includes(scope) || (bearer !== null && isOpenIdScope(scope));
  const scopes = claims.scopes.filter(isHeld);
  if (scopes.length === 0) return refused('SCOPES');
  return { ...claims, label, bearer, roles: (bearer ?? client).roles, scopes };
}

export function createTokenVerifier(ports: TokenVerifierPorts): TokenVerifier {
  const { clock, db } = ports;
  const read = readerOver(ports);
  const holdings = createAppHoldings(ports);
  const clients = createAuthorisationCache<LiveClient | null>({
    clock,
    load: ({ orgId, id }) => findLiveClient(db, orgId ?? '', id),
  });
  const users = createAuthorisationCache<LiveUser | null>({
    clock,
    load: ({ orgId, id }) => findLiveUser(db, orgId ?? '', id),
  });
  const revocations = createAuthorisationCache<boolean>({
    clock,
    load: ({ orgId, id }) => isTokenRevoked(db, orgId ?? '', hashSecret(id)),
  });

  const verify: TokenVerifier['verify'] = async (orgId, token, now, use = 'useClientToken') => {
    const claims = await read(orgId, token, now);
    if ('refused' in claims) return claims;
    const issuedAt = issuedAtOf(claims.jti);
    if (issuedAt === null) return refused('NOT_AN_ACCESS_TOKEN');
    const [isRevoked, client, bearer, holding] = await Promise.all([
      revocations.get({ orgId, kind: 'revokedToken', id: claims.jti }),
      clients.get({ orgId, kind: 'liveClient', id: claims.clientId }),
      claims.user === null ? null : users.get({ orgId, kind: 'liveUser', id: claims.user.id }),
      holdings.get(orgId, claims.clientId, claims.user),
    ]);
    if (isRevoked) return refused('REVOKED');
    return judge({ claims, issuedAt, holding }, client, bearer, use);
  };

  return {
    read,
    verify,
    authenticateBearer: async (orgId, token, now) => {
      const verified = await verify(orgId, token, now);
      return 'refused' in verified || verified.confirmation !== undefined ? null : authenticatedBy(verified);
    },
    drop: (orgId) => {
      for (const cache of [clients, users, revocations, holdings]) cache.drop(orgId);
    },
  };
}
