import { createPublicKey, type KeyObject, sign } from 'node:crypto';
import { promisify } from 'node:util';
import type { OrgId } from '../../kernel/words/ids.ts';
import { publicJwkOf, type RsaPublicJwk } from './rotation/make-signing-key.ts';
import { ORG_SERVER } from './rotation/rotation-rules.ts';
import type { SigningKeys } from './signing-keys.ts';

/** A signed statement of the org itself, which is no token. */
export interface SignedStatement {
  /** Compact JWS (RFC 7515). */
  readonly jws: string;
  readonly kid: string;
  /** Checks the signature, also when the key is published no more. */
  readonly publicJwk: RsaPublicJwk;
}

/** The callback form signs on the thread pool: RS256 takes most of a millisecond. */
const signOnThreadPool = promisify((data: Buffer, key: KeyObject, done: (error: Error | null, made: Buffer) => void) =>
  sign('sha256', data, key, done),
);

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value), 'utf8').toString('base64url');

/**
 * Signs claims with the key by which the org, or one of its custom servers, signs now. `typ` in the header keeps
 * statements apart from access tokens, which have none, and from one another (RFC 8725 3.11). Throws where the key
 * can't be opened.
 */
export async function signStatement(
  signingKeys: Pick<SigningKeys, 'signer'>,
  orgId: OrgId,
  typ: string,
  claims: object,
  serverId: string = ORG_SERVER,
): Promise<SignedStatement> {
  const { kid, key } = await signingKeys.signer(orgId, serverId);
  const input = `${encode({ alg: 'RS256', kid, typ })}.${encode(claims)}`;
  const signature = await signOnThreadPool(Buffer.from(input, 'ascii'), key);
  return { jws: `${input}.${signature.toString('base64url')}`, kid, publicJwk: publicJwkOf(createPublicKey(key)) };
}
