import { admits, type Presence } from '../../access/index.ts';
import type { Context } from '../../kernel/context.ts';
import type { ClientId, OrgId } from '../../kernel/words/ids.ts';
import { findPresence } from '../../management/apps/index.ts';
import {
  findLiveClient,
  findLiveUser,
  isHeldSince,
  isOrigin,
  issuedAtOf,
  type LiveUser,
  readSigned,
} from '../access-tokens/index.ts';
import { type AppHoldingsPorts, findAppHolding } from '../app-sign-on/index.ts';
import type { ServerConfiguration } from '../custom-servers/index.ts';
import type { SigningKeys } from '../keys/index.ts';

export interface IdTokenPorts extends AppHoldingsPorts {
  readonly signingKeys: Pick<SigningKeys, 'verificationKey'>;
  readonly isIssuerOrigin: (orgId: OrgId, origin: string) => Promise<boolean> | boolean;
}

interface AskedIdToken {
  readonly clientId: ClientId;
  /** Null means the org's own server. */
  readonly server: ServerConfiguration | null;
  readonly token: string;
}

type Claims = Readonly<Record<string, unknown>>;

export interface VerifiedIdToken {
  readonly claims: Claims;
  readonly jti: string;
  readonly issuer: string;
  readonly userId: string;
  readonly user: LiveUser;
  readonly expiresAt: Date;
  readonly issuedAt: Date;
}

function originOf(issuer: unknown, server: ServerConfiguration | null): string | null {
  const path = server?.facts.issuerPath ?? '';
  if (typeof issuer !== 'string' || !issuer.endsWith(path)) return null;
  const origin = issuer.slice(0, issuer.length - path.length);
  return isOrigin(origin) ? origin : null;
}

const isIdTokenOf = ({ aud, exp, iat, jti, sub }: Claims, clientId: ClientId): boolean =>
  aud === clientId &&
  typeof jti === 'string' &&
  jti.startsWith('ID.') &&
  typeof sub === 'string' &&
  typeof exp === 'number' &&
  typeof iat === 'number';

/** Returns the subject of an ID token, which may have expired. Returns null if the token is otherwise invalid. */
export async function subjectOfHint(
  { isIssuerOrigin, signingKeys }: Omit<IdTokenPorts, keyof AppHoldingsPorts>,
  orgId: OrgId,
  { clientId, server, token }: AskedIdToken,
): Promise<string | null> {
  const jws = await readSigned(signingKeys, orgId, token, server?.facts.id);
  if ('refused' in jws || !isIdTokenOf(jws.claims, clientId)) return null;
  const origin = originOf(jws.claims['iss'], server);
  return origin !== null && (await isIssuerOrigin(orgId, origin)) ? String(jws.claims['sub']) : null;
}

/** A `jti` whose time differs from `iat` by this much or more comes from an older build, which made it at random. */
const DAY_MILLISECONDS = 86_400_000;

/**
 * Returns the time at which an ID token was issued. Tokens of older builds have this time only in `iat`, in whole
 * seconds.
 */
function issuedAtBy({ iat, jti }: Claims): Date {
  const second = new Date(Number(iat) * 1_000);
  const instant = issuedAtOf(String(jti), 'ID.');
  const isMeant = instant !== null && Math.abs(instant.getTime() - second.getTime()) < DAY_MILLISECONDS;
  return isMeant ? instant : second;
}

/** A token without `auth_time` was issued for an absent user, for whom the client may need an approval. */
const presenceOf = async ({ db }: IdTokenPorts, orgId: OrgId, clientId: ClientId, claims: Claims): Promise<Presence> =>
  claims['auth_time'] === undefined ? findPresence(db, orgId, clientId, String(claims['sub'])) : 'PRESENT';

/**
 * Verifies an ID token that the server issued to the client. INVALID can also mean that a later change has voided the
 * token. For example, the user may no longer have the app.
 */
export async function verifyIdToken(
  ports: IdTokenPorts,
  { now, orgId }: Pick<Context, 'now' | 'orgId'>,
  asked: AskedIdToken,
): Promise<VerifiedIdToken | 'EXPIRED' | 'INVALID'> {
  const { db, isIssuerOrigin, signingKeys } = ports;
  const { clientId, server, token } = asked;
  const jws = await readSigned(signingKeys, orgId, token, server?.facts.id);
  if ('refused' in jws || !isIdTokenOf(jws.claims, clientId)) return 'INVALID';
  const { claims } = jws;
  const origin = originOf(claims['iss'], server);
  if (origin === null || !(await isIssuerOrigin(orgId, origin))) return 'INVALID';
  const expiresAt = new Date(Number(claims['exp']) * 1_000);
  if (now >= expiresAt) return 'EXPIRED';
  const userId = String(claims['sub']);
  const [user, client, holding, presence] = await Promise.all([
    findLiveUser(db, orgId, userId),
    findLiveClient(db, orgId, clientId),
    findAppHolding(ports, orgId, clientId, userId),
    presenceOf(ports, orgId, clientId, claims),
  ]);
  const issuedAt = issuedAtBy(claims);
  if (user === null || client === null || !isHeldSince(holding, issuedAt)) return 'INVALID';
  const parents = { user, client: { ...client, status: 'ACTIVE' }, server: server?.facts ?? { status: 'ACTIVE' } };
  if (admits('useUserToken', { ...parents, app: holding, presence, issuedAt }) !== null) return 'INVALID';
  return { claims, jti: String(claims['jti']), issuer: String(claims['iss']), userId, user, expiresAt, issuedAt };
}
