import { admits } from '../../access/index.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { AppId, OrgId } from '../../kernel/words/ids.ts';
import { hashSecret } from '../../platform/crypto/index.ts';
import { createAuthorisationCache } from '../../platform/postgres/index.ts';
import {
  findLiveClient,
  findLiveUser,
  isHeldSince,
  isOrigin,
  issuedAtOf,
  isTokenRevoked,
  isWithinItsTime,
  type LiveUser,
  type Refused,
  readServerClaims,
  readSigned,
  refusalOfUse,
  refused,
  type ServerTokenClaims,
} from '../access-tokens/index.ts';
import { type AppHoldingsPorts, createAppHoldings } from '../app-sign-on/index.ts';
import type { SigningKeys } from '../keys/index.ts';
import { createPresences } from './presences.ts';
import type { ServerConfiguration } from './server-configuration.ts';
import { type ConsentWatermark, findConsentWatermarks } from './store.ts';

export interface ServerTokenVerifierPorts extends AppHoldingsPorts {
  readonly signingKeys: Pick<SigningKeys, 'verificationKey'>;
  readonly clock: Clock;
  readonly isIssuerOrigin: (orgId: OrgId, origin: string) => boolean | Promise<boolean>;
}

export interface VerifiedServerToken extends ServerTokenClaims {
  readonly appId: AppId;
  readonly label: string;
  readonly applicationType: string;
  /** Null means that the client acts for itself. */
  readonly bearer: LiveUser | null;
}

export interface ServerTokenVerifier {
  /** Checks only the token itself, not what it depends on. */
  read(orgId: OrgId, server: ServerConfiguration, token: string, now: Date): Promise<ServerTokenClaims | Refused>;
  /** Checks the token and what it depends on, and keeps only the valid scopes. Uses data at most a second old. */
  verify(orgId: OrgId, server: ServerConfiguration, token: string, now: Date): Promise<VerifiedServerToken | Refused>;
  drop(orgId: OrgId): void;
}

function originOf(issuer: string, { facts: { issuerPath } }: ServerConfiguration): string | null {
  if (!issuer.endsWith(issuerPath)) return null;
  const origin = issuer.slice(0, -issuerPath.length);
  return isOrigin(origin) ? origin : null;
}

/** Keeps the scopes that the server has had ever since the token was issued and whose consent was not revoked since. */
function liveScopes(
  claims: ServerTokenClaims,
  server: ServerConfiguration,
  watermarks: readonly ConsentWatermark[],
  issuedAt: Date,
): readonly string[] {
  return claims.scopes.filter(
    (name) =>
      server.scopes.some((scope) => scope.name === name && issuedAt > scope.validAfter) &&
      !watermarks.some((taken) => taken.name === name && issuedAt <= taken.validAfter),
  );
}

const NO_WATERMARKS: readonly ConsentWatermark[] = [];

/** No id contains a space. */
const consentKeyOf = ({ clientId, user }: ServerTokenClaims, { facts }: ServerConfiguration): string =>
  `${user?.id ?? ''} ${clientId} ${facts.id}`;

export function createServerTokenVerifier(ports: ServerTokenVerifierPorts): ServerTokenVerifier {
  const { clock, db, isIssuerOrigin, signingKeys } = ports;
  const clients = createAuthorisationCache({
    clock,
    load: ({ orgId, id }) => findLiveClient(db, orgId ?? '', id),
  });
  const users = createAuthorisationCache({
    clock,
    load: ({ orgId, id }) => findLiveUser(db, orgId ?? '', id),
  });
  const holdings = createAppHoldings(ports);
  const consents = createAuthorisationCache<readonly ConsentWatermark[]>({
    clock,
    load: ({ orgId, id }) => {
      const [userId = '', clientId = '', serverId = ''] = id.split(' ');
      return findConsentWatermarks(db, orgId ?? '', { userId, clientId, serverId });
    },
  });
  const presences = createPresences(ports);
  const revocations = createAuthorisationCache({
    clock,
    load: ({ orgId, id }) => isTokenRevoked(db, orgId ?? '', hashSecret(id)),
  });

  const read: ServerTokenVerifier['read'] = async (orgId, server, token, now) => {
    const jws = await readSigned(signingKeys, orgId, token, server.facts.id);
    if ('refused' in jws) return jws;
    const claims = readServerClaims(jws.claims);
    if (claims === null) return refused('NOT_AN_ACCESS_TOKEN');
    const origin = originOf(claims.issuer, server);
    if (origin === null || !(await isIssuerOrigin(orgId, origin))) return refused('ISSUER');
    return isWithinItsTime(claims, now) ? claims : refused('TIME');
  };

  return {
    read,
    async verify(orgId, server, token, now) {
      const claims = await read(orgId, server, token, now);
      if ('refused' in claims) return claims;
      const issuedAt = issuedAtOf(claims.jti);
      if (issuedAt === null) return refused('NOT_AN_ACCESS_TOKEN');
      const isUsers = claims.user !== null;
      const [isRevoked, client, bearer, watermarks, holding, presence] = await Promise.all([
        revocations.get({ orgId, kind: 'revokedToken', id: claims.jti }),
        clients.get({ orgId, kind: 'liveClient', id: claims.clientId }),
        claims.user === null ? null : users.get({ orgId, kind: 'liveUser', id: claims.user.id }),
        isUsers ? consents.get({ orgId, kind: 'consents', id: consentKeyOf(claims, server) }) : NO_WATERMARKS,
        holdings.get(orgId, claims.clientId, claims.user),
        presences.get(orgId, claims),
      ]);
      if (isRevoked) return refused('REVOKED');
      if (client === null) return refused('CLIENT');
      if (isUsers && (bearer === null || !isHeldSince(holding, issuedAt))) return refused('USER');
      const parents = { client: { ...client, status: 'ACTIVE' }, server: server.facts, issuedAt };
      const refusal =
        bearer === null || holding === null
          ? admits('introspectServerToken', parents)
          : admits('useUserToken', { ...parents, user: bearer, app: holding, presence });
      if (refusal !== null) return refusalOfUse(refusal);
      const scopes = liveScopes(claims, server, watermarks, issuedAt);
      if (scopes.length === 0) return refused('SCOPES');
      const { appId, applicationType, label } = client;
      return { ...claims, scopes, bearer, appId, label, applicationType };
    },
    drop: (orgId) => {
      for (const cache of [clients, users, consents, presences, revocations, holdings]) cache.drop(orgId);
    },
  };
}
