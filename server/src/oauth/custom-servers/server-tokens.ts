import { admits } from '../../access/index.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { OrgId } from '../../kernel/ids.ts';
import { hashSecret } from '../../platform/crypto/index.ts';
import { createAuthorisationCache, type Db } from '../../platform/postgres/index.ts';
import {
  findLiveClient,
  isOrigin,
  issuedAtOf,
  isTokenRevoked,
  isWithinItsTime,
  type Refused,
  readServerClaims,
  readSigned,
  refused,
  type ServerTokenClaims,
} from '../access-tokens/index.ts';
import type { SigningKeys } from '../keys/index.ts';
import type { ServerConfiguration } from './server-configuration.ts';

export interface ServerTokenVerifierPorts {
  readonly signingKeys: Pick<SigningKeys, 'verificationKey'>;
  readonly db: Db;
  readonly clock: Clock;
  readonly isOwnOrigin: (orgId: OrgId, origin: string) => boolean | Promise<boolean>;
}

/** Checks access tokens of custom authorization servers: each at its own server, none anywhere else. */
export interface ServerTokenVerifier {
  /** Whether this server signed the token and its time is not over. Does not ask for revocation, client and scopes. */
  read(orgId: OrgId, server: ServerConfiguration, token: string, now: Date): Promise<ServerTokenClaims | Refused>;
  /**
   * Whether the token holds now: `read`, then revocation, client, watermarks of client and server, and its scopes, of
   * which those are left that the server still has; at most a second old.
   */
  verify: ServerTokenVerifier['read'];
  /** Forgets what is known of an org's clients and tokens: called after one of them has changed. */
  drop(orgId: OrgId): void;
}

const MAXIMUM_ENTRIES = 50_000;

/** The address before the server's own path, where that is how the issuer ends. */
function originOf(issuer: string, { facts: { issuerPath } }: ServerConfiguration): string | null {
  if (!issuer.endsWith(issuerPath)) return null;
  const origin = issuer.slice(0, -issuerPath.length);
  return isOrigin(origin) ? origin : null;
}

function liveScopes(claims: ServerTokenClaims, server: ServerConfiguration, issuedAt: Date): readonly string[] {
  return claims.scopes.filter((name) =>
    server.scopes.some((scope) => scope.name === name && issuedAt > scope.validAfter),
  );
}

export function createServerTokenVerifier(ports: ServerTokenVerifierPorts): ServerTokenVerifier {
  const { clock, db, isOwnOrigin, signingKeys } = ports;
  const clients = createAuthorisationCache({
    clock,
    maximumEntries: MAXIMUM_ENTRIES,
    load: ({ orgId, id }) => findLiveClient(db, orgId ?? '', id),
  });
  const revocations = createAuthorisationCache({
    clock,
    maximumEntries: MAXIMUM_ENTRIES,
    load: ({ orgId, id }) => isTokenRevoked(db, orgId ?? '', hashSecret(id)),
  });

  const read: ServerTokenVerifier['read'] = async (orgId, server, token, now) => {
    const jws = await readSigned(signingKeys, orgId, token, server.facts.id);
    if ('refused' in jws) return jws;
    const claims = readServerClaims(jws.claims);
    if (claims === null) return refused('NOT_AN_ACCESS_TOKEN');
    const origin = originOf(claims.issuer, server);
    if (origin === null || !(await isOwnOrigin(orgId, origin))) return refused('ISSUER');
    return isWithinItsTime(claims, now) ? claims : refused('TIME');
  };

  return {
    read,
    async verify(orgId, server, token, now) {
      const claims = await read(orgId, server, token, now);
      if ('refused' in claims) return claims;
      const issuedAt = issuedAtOf(claims.jti);
      if (issuedAt === null) return refused('NOT_AN_ACCESS_TOKEN');
      const [isRevoked, client] = await Promise.all([
        revocations.get({ orgId, kind: 'revokedToken', id: claims.jti }),
        clients.get({ orgId, kind: 'liveClient', id: claims.clientId }),
      ]);
      if (isRevoked) return refused('REVOKED');
      if (client === null) return refused('CLIENT');
      const parents = { client: { ...client, status: 'ACTIVE' }, server: server.facts, issuedAt };
      const refusal = admits('introspectServerToken', parents);
      if (refusal !== null) return refused(refusal === 'REVOKED' ? 'REVOKED' : 'CLIENT');
      const scopes = liveScopes(claims, server, issuedAt);
      return scopes.length === 0 ? refused('SCOPES') : { ...claims, scopes };
    },
    drop: (orgId) => {
      clients.drop(orgId);
      revocations.drop(orgId);
    },
  };
}
