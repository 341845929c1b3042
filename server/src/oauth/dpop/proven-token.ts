import type { ClientId, OrgId } from '../../kernel/words/ids.ts';
import type { Db } from '../../platform/postgres/index.ts';
import { consume } from '../client-authentication/replay-protection.ts';
import { singleUseOfProof, verifyDpopProof } from './verify-proof.ts';

export interface TokenWithProof {
  readonly token: string;
  readonly dpopProof: string | undefined;
  readonly method: string;
  /** The address of the request without its query. */
  readonly uri: string;
}

/**
 * Verifies that a DPoP proof was made with the token's key. Consumes the proof, because each is accepted only once
 * (RFC 9449 11.1).
 */
export async function isProvenByKey(
  db: Db,
  orgId: OrgId,
  verified: { readonly clientId: ClientId; readonly confirmation?: { readonly jkt: string } },
  { dpopProof: proof, method, token, uri }: TokenWithProof,
  now: Date,
): Promise<boolean> {
  if (verified.confirmation === undefined || proof === undefined) return false;
  const verdict = verifyDpopProof({ proof, method, uri, now, accessToken: token });
  if (!verdict.ok || verdict.jkt !== verified.confirmation.jkt) return false;
  return consume(db, orgId, verified.clientId, singleUseOfProof(verdict));
}
