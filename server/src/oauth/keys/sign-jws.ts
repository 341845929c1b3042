import type { KeyObject } from 'node:crypto';
import { CompactSign } from 'jose';

/** Header members in the order in which they are written. */
export interface JwsHeader {
  readonly alg: 'RS256';
  readonly kid: string;
  /** Keeps statements from being taken for access tokens, which have no `typ`, or for one another (RFC 8725 3.11). */
  readonly typ?: string;
}

/** Signs claims as a compact JWS (RFC 7515 7.1). A thread of the pool makes the signature. */
export const signJws = (header: JwsHeader, claims: object, key: KeyObject): Promise<string> =>
  new CompactSign(Buffer.from(JSON.stringify(claims))).setProtectedHeader({ ...header }).sign(key);
