import type { KeyObject } from 'node:crypto';
import { CompactSign } from 'jose';

/** The members are written in the order in which the caller gives them. */
export interface JwsHeader {
  readonly alg: 'RS256';
  readonly kid: string;
  /** The type distinguishes other statements from access tokens and ID tokens, which have no `typ` (RFC 8725 3.11). */
  readonly typ?: string;
}

/** Signs claims as a compact JWS (RFC 7515 7.1). */
export const signJws = (header: JwsHeader, claims: object, key: KeyObject): Promise<string> =>
  new CompactSign(Buffer.from(JSON.stringify(claims))).setProtectedHeader({ ...header }).sign(key);
