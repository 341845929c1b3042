import { admits } from '../../access/index.ts';
import type { Context } from '../../kernel/context.ts';
import type { OrgId } from '../../kernel/ids.ts';
import { isAssigned } from '../../management/app-assignments/index.ts';
import type { Db } from '../../platform/postgres/index.ts';
import { findLiveClient, findLiveUser, isOrigin, readSigned } from '../access-tokens/index.ts';
import type { ServerConfiguration } from '../custom-servers/index.ts';
import type { SigningKeys } from '../keys/index.ts';

export interface IdTokenPorts {
  readonly db: Db;
  readonly signingKeys: Pick<SigningKeys, 'verificationKey'>;
  readonly isOwnOrigin: (orgId: OrgId, origin: string) => Promise<boolean>;
}

type Claims = Readonly<Record<string, unknown>>;

/** The address before the server's path; null: it is another server's. */
function originOf(issuer: unknown, server: ServerConfiguration | null): string | null {
  const path = server?.facts.issuerPath ?? '';
  if (typeof issuer !== 'string' || !issuer.endsWith(path)) return null;
  const origin = issuer.slice(0, issuer.length - path.length);
  return isOrigin(origin) ? origin : null;
}

const isIdTokenOf = ({ aud, exp, iat, jti, sub }: Claims, clientId: string): boolean =>
  aud === clientId &&
  typeof jti === 'string' &&
  jti.startsWith('ID.') &&
  typeof sub === 'string' &&
  typeof exp === 'number' &&
  typeof iat === 'number';

const TOLD = ['exp', 'iat', 'sub', 'aud', 'iss', 'jti'] as const;

/**
 * What a client may know of an ID token of its own whose time is not over; null: it is none, or its user is gone or has
 * lost the app.
 */
export async function readIdToken(
  { db, isOwnOrigin, signingKeys }: IdTokenPorts,
  { now, orgId }: Context,
  asked: { readonly clientId: string; readonly server: ServerConfiguration | null; readonly token: string },
): Promise<Record<string, unknown> | null> {
  const { clientId, server, token } = asked;
  const jws = await readSigned(signingKeys, orgId, token, server?.facts.id);
  if ('refused' in jws || !isIdTokenOf(jws.claims, clientId)) return null;
  const { claims } = jws;
  if (now.getTime() >= Number(claims['exp']) * 1_000) return null;
  const origin = originOf(claims['iss'], server);
  if (origin === null || !(await isOwnOrigin(orgId, origin))) return null;
  const userId = String(claims['sub']);
  const [user, client, hasApp] = await Promise.all([
    findLiveUser(db, orgId, userId),
    findLiveClient(db, orgId, clientId),
    isAssigned(db, orgId, clientId, userId),
  ]);
  if (user === null || client === null || !hasApp) return null;
  // It says no more than the second in which it was issued: what was voided since then is void.
  const issuedAt = new Date((Number(claims['iat']) + 1) * 1_000);
  const parents = { user, client: { ...client, status: 'ACTIVE' }, server: server?.facts ?? { status: 'ACTIVE' } };
  if (admits('useUserToken', { ...parents, issuedAt }) !== null) return null;
  const told = Object.fromEntries(TOLD.map((name) => [name, claims[name]]));
  return { active: true, username: user.login, ...told, token_type: 'Bearer', client_id: clientId };
}
