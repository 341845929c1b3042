import { createPublicKey } from 'node:crypto';
import type { OrgId } from '../../kernel/words/ids.ts';
import { publicJwkOf, type RsaPublicJwk } from './rotation/make-signing-key.ts';
import { ORG_SERVER } from './rotation/rotation-rules.ts';
import { signJws } from './sign-jws.ts';
import type { SigningKeys } from './signing-keys.ts';

export interface SignedStatement {
  /** The compact JWS (RFC 7515). */
  readonly jws: string;
  readonly kid: string;
  readonly publicJwk: RsaPublicJwk;
}

export async function signStatement(
  signingKeys: Pick<SigningKeys, 'signer'>,
  orgId: OrgId,
  typ: string,
  claims: object,
  serverId: string = ORG_SERVER,
): Promise<SignedStatement> {
  const { kid, key } = await signingKeys.signer(orgId, serverId);
  const jws = await signJws({ alg: 'RS256', kid, typ }, claims, key);
  return { jws, kid, publicJwk: publicJwkOf(createPublicKey(key)) };
}
