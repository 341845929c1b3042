import { type KeyObject, verify as verifySignature } from 'node:crypto';
import { admits } from '../../access/index.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { HeldRole } from '../../kernel/held-role.ts';
import type { OrgId } from '../../kernel/ids.ts';
import type { Namespace } from '../../kernel/namespace.ts';
import { hashSecret } from '../../platform/crypto/index.ts';
import type { Authenticated } from '../../platform/http/index.ts';
import { createAuthorisationCache, type Db } from '../../platform/postgres/index.ts';
import { type ParsedJws, parseJws } from '../client-authentication/jws-rules.ts';
import { ORG_SERVER, type SigningKeys } from '../keys/index.ts';
import { issuedAtOf } from './access-token-id.ts';
import { type AccessTokenClaims, isOrigin, isWithinItsTime, readClaims } from './claims-rules.ts';
import { findLiveClient, isTokenRevoked, type LiveClient } from './store.ts';

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
  | 'SERVER'
  | 'SCOPES';

export interface Refused {
  readonly refused: TokenRefusal;
}

/** An access token that holds, and the client it is of. */
export interface VerifiedToken extends AccessTokenClaims {
  readonly label: string;
  /** Neutral: those of the token that are still granted to the client. */
  readonly scopes: readonly string[];
  /** What the client holds now. */
  readonly roles: readonly HeldRole[];
}

/** Ways of using a token, each with a line of its own in the table of admission. */
export type TokenUse = 'useClientToken' | 'introspectClientToken';

export interface TokenVerifier {
  /**
   * Whether this org signed the token as an access token and its time is not over. Does not ask whether it was revoked,
   * nor for its client.
   */
  read(orgId: OrgId, token: string, now: Date): Promise<AccessTokenClaims | Refused>;
  /** Whether the token holds now: `read`, then revocation, client, watermark and scopes, at most a second old. */
  verify(orgId: OrgId, token: string, now: Date, use?: TokenUse): Promise<VerifiedToken | Refused>;
  /**
   * Who sends `Authorization: Bearer` with this token; null where it does not hold. A token bound to a key is refused:
   * whoever bears it has to prove the key as well (RFC 9449 7.1).
   */
  authenticateBearer(orgId: OrgId, token: string, now: Date): Promise<Authenticated | null>;
  /** Forgets what is known of an org's clients and tokens: called after one of them has changed. */
  drop(orgId: OrgId): void;
}

export interface TokenVerifierPorts {
  readonly signingKeys: Pick<SigningKeys, 'verificationKey'>;
  readonly db: Db;
  readonly clock: Clock;
  readonly namespace: Namespace;
  /** Whether the org answers at this address: scheme, host and port. */
  readonly isOwnOrigin: (orgId: OrgId, origin: string) => boolean | Promise<boolean>;
}

const MAXIMUM_ENTRIES = 50_000;

/** Ours have a kilobyte, with all the scopes there are four; claims of custom servers may add as much. */
const MAXIMUM_LENGTH = 8_192;
const MAXIMUM_LENGTH_OF_CUSTOM_SERVERS = 16_384;

export const refused = (reason: TokenRefusal): Refused => ({ refused: reason });

/** Header of our tokens: nothing else in it means anything to us, so that it is not there (jku, jwk, crit, b64). */
function keyIdOf({ header }: ParsedJws): string | null {
  const { alg, kid } = header;
  return alg === 'RS256' && typeof kid === 'string' && Object.keys(header).length === 2 ? kid : null;
}

/** On the loop: it takes a thirtieth of a millisecond, less than the way to a thread and back. */
const isSignedBy = (key: KeyObject, { signature, signingInput }: ParsedJws): boolean =>
  verifySignature('sha256', Buffer.from(signingInput), key, signature);

/** Who a verified token says its bearer is. */
export const authenticatedBy = ({ clientId, issuer, jti, label, roles, scopes }: VerifiedToken): Authenticated => ({
  principal: { kind: 'oauthClient', clientId, tokenId: jti, issuer },
  actor: { id: clientId, type: 'PublicClientApp', alternateId: clientId, displayName: label },
  roles,
  scopes,
});

/** The claims of a JWS that a key of this server signed. */
export async function readSigned(
  signingKeys: Pick<SigningKeys, 'verificationKey'>,
  orgId: OrgId,
  token: string,
  serverId: string = ORG_SERVER,
): Promise<Pick<ParsedJws, 'claims'> | Refused> {
  const maximum = serverId === ORG_SERVER ? MAXIMUM_LENGTH : MAXIMUM_LENGTH_OF_CUSTOM_SERVERS;
  const jws = token.length > maximum ? null : parseJws(token);
  if (jws === null) return refused('MALFORMED');
  const kid = keyIdOf(jws);
  if (kid === null) return refused('ALGORITHM');
  const key = await signingKeys.verificationKey(orgId, kid, serverId);
  if (key === null) return refused('UNKNOWN_KEY');
  return isSignedBy(key, jws) ? jws : refused('SIGNATURE');
}

type Reader = TokenVerifier['read'];

function readerOver({ isOwnOrigin, namespace, signingKeys }: TokenVerifierPorts): Reader {
  return async (orgId, token, now) => {
    const jws = await readSigned(signingKeys, orgId, token);
    if ('refused' in jws) return jws;
    const claims = readClaims(jws.claims, namespace.word);
    if (claims === null) return refused('NOT_AN_ACCESS_TOKEN');
    if (!isOrigin(claims.issuer) || !(await isOwnOrigin(orgId, claims.issuer))) return refused('ISSUER');
    return isWithinItsTime(claims, now) ? claims : refused('TIME');
  };
}

/** What of the client the token still has; a refusal where it has nothing. */
function judge(claims: AccessTokenClaims, client: LiveClient | null, use: TokenUse): VerifiedToken | Refused {
  const issuedAt = issuedAtOf(claims.jti);
  if (issuedAt === null) return refused('NOT_AN_ACCESS_TOKEN');
  if (client === null) return refused('CLIENT');
  const { applicationType, label, roles, validAfter } = client;
  const refusal = admits(use, { client: { status: 'ACTIVE', applicationType, validAfter }, issuedAt });
  if (refusal !== null) return refused(refusal === 'REVOKED' ? 'REVOKED' : 'CLIENT');
  const scopes = claims.scopes.filter((scope) => client.scopes.includes(scope));
  return scopes.length === 0 ? refused('SCOPES') : { ...claims, label, roles, scopes };
}

/** Checks access tokens of the orgs' own authorization servers. */
export function createTokenVerifier(ports: TokenVerifierPorts): TokenVerifier {
  const { clock, db } = ports;
  const read = readerOver(ports);
  const clients = createAuthorisationCache<LiveClient | null>({
    clock,
    maximumEntries: MAXIMUM_ENTRIES,
    load: ({ orgId, id }) => findLiveClient(db, orgId ?? '', id),
  });
  const revocations = createAuthorisationCache<boolean>({
    clock,
    maximumEntries: MAXIMUM_ENTRIES,
    load: ({ orgId, id }) => isTokenRevoked(db, orgId ?? '', hashSecret(id)),
  });

  const verify: TokenVerifier['verify'] = async (orgId, token, now, use = 'useClientToken') => {
    const claims = await read(orgId, token, now);
    if ('refused' in claims) return claims;
    const [isRevoked, client] = await Promise.all([
      revocations.get({ orgId, kind: 'revokedToken', id: claims.jti }),
      clients.get({ orgId, kind: 'liveClient', id: claims.clientId }),
    ]);
    return isRevoked ? refused('REVOKED') : judge(claims, client, use);
  };

  return {
    read,
    verify,
    authenticateBearer: async (orgId, token, now) => {
      const verified = await verify(orgId, token, now);
      return 'refused' in verified || verified.confirmation !== undefined ? null : authenticatedBy(verified);
    },
    drop: (orgId) => {
      clients.drop(orgId);
      revocations.drop(orgId);
    },
  };
}
