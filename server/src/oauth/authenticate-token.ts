import type { OrgId } from '../kernel/words/ids.ts';
import type { Authenticated, Credential } from '../platform/http/index.ts';
import type { Db } from '../platform/postgres/index.ts';
import { authenticatedBy, type TokenVerifier } from './access-tokens/index.ts';
import { isProvenByKey } from './dpop/proven-token.ts';

const CREDENTIAL = /^(bearer|dpop) +(\S+) *$/i;

/** Requires an unused DPoP proof that was made with the token's key for this request (RFC 9449 7.1, 11.1). */
async function byProof(
  { db, verifier }: { readonly db: Db; readonly verifier: TokenVerifier },
  orgId: OrgId,
  token: string,
  credential: Credential,
  now: Date,
): Promise<Authenticated | null> {
  const verified = await verifier.verify(orgId, token, now);
  if ('refused' in verified) return null;
  return (await isProvenByKey(db, orgId, verified, { ...credential, token }, now)) ? authenticatedBy(verified) : null;
}

/** Accepts `Bearer` and, with a proof, `DPoP`, in any letter case. Returns null for other or invalid credentials. */
export async function authenticateToken(
  ports: { readonly db: Db; readonly verifier: TokenVerifier },
  orgId: OrgId,
  credential: Credential,
  now: Date,
): Promise<Authenticated | null> {
  const [, scheme = '', token = ''] = CREDENTIAL.exec(credential.authorization) ?? [];
  if (scheme.toLowerCase() === 'dpop') return byProof(ports, orgId, token, credential, now);
  return scheme === '' ? null : ports.verifier.authenticateBearer(orgId, token, now);
}
