import { createHash } from 'node:crypto';
import type { OAuthErrorCode } from '../../kernel/errors/oauth-errors.ts';
import { parseJws } from '../client-authentication/jws-rules.ts';
import type { SingleUse } from '../client-authentication/replay-protection.ts';
import { thumbprintOf, verifiesSignature } from '../client-authentication/verify-signature.ts';
import { expiryOfProof, readProofHeader, refusalOfProof } from './proof-rules.ts';

export interface DpopRequest {
  /** The whole value of the DPoP header. */
  readonly proof: string;
  readonly method: string;
  /** The address of the request without its query. */
  readonly uri: string;
  readonly now: Date;
  /** The access token that the proof accompanies; absent if the request contains none. */
  readonly accessToken?: string;
  /** Returns whether a nonce is ours and recent. Without this function, the proof need not contain a nonce. */
  readonly isFreshNonce?: (nonce: string) => boolean;
}

export type DpopVerdict =
  | {
      readonly ok: true;
      /** The RFC 7638 thumbprint of the key that signed the proof. */
      readonly jkt: string;
      /** The id of the proof. Until `expiresAt`, the caller must refuse another proof with this key and id. */
      readonly jti: string;
      readonly expiresAt: Date;
    }
  | { readonly ok: false; readonly reason: OAuthErrorCode };

export const singleUseOfProof = ({
  expiresAt,
  jkt,
  jti,
}: Omit<Extract<DpopVerdict, { readonly ok: true }>, 'ok'>): SingleUse => ({ name: `dpop:${jkt}:${jti}`, expiresAt });

const refused = (reason: OAuthErrorCode): DpopVerdict => ({ ok: false, reason });

/** Checks a DPoP proof (RFC 9449 4.3). The caller must refuse a proof that was used before. */
export function verifyDpopProof(request: DpopRequest): DpopVerdict {
  const { accessToken, isFreshNonce, method, now, proof, uri } = request;
  // Node.js joins several DPoP headers with commas. A valid proof contains no comma.
  if (proof.includes(',')) return refused('dpopProofMultiple');
  const jws = parseJws(proof);
  if (jws === null) return refused('dpopInvalidJwt');
  const header = readProofHeader(jws);
  if ('refused' in header) return refused(header.refused);
  const jkt = thumbprintOf(header.jwk);
  if (jkt === null || !verifiesSignature(jws, header.algorithm, header.jwk)) return refused('dpopInvalidSignature');
  const accessTokenHash =
    accessToken === undefined ? null : createHash('sha256').update(accessToken).digest('base64url');
  const expected = { method, uri, now, accessTokenHash, ...(isFreshNonce === undefined ? {} : { isFreshNonce }) };
  const refusal = refusalOfProof(jws, expected);
  if (refusal !== null) return refused(refusal);
  return { ok: true, jkt, jti: String(jws.claims['jti']), expiresAt: expiryOfProof(jws) };
}
