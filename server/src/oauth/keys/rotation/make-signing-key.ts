import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import type { OrgId } from '../../../kernel/words/ids.ts';
import {
  type MakeKeyPair,
  type MasterKey,
  type SealedPlace,
  seal,
  unsealText,
} from '../../../platform/crypto/index.ts';
import { thumbprintOf } from '../../client-authentication/verify-signature.ts';

/** An RSA public key (RFC 7518 6.3). The exponent and the modulus are in base64url. */
export interface RsaPublicJwk {
  readonly kty: 'RSA';
  readonly e: string;
  readonly n: string;
}

export interface MadeSigningKey {
  readonly kid: string;
  readonly algorithm: 'RS256';
  readonly publicJwk: RsaPublicJwk;
  readonly sealedKey: Buffer;
}

const placeOf = (orgId: OrgId, kid: string): SealedPlace => ({
  orgId,
  table: 'signing_keys',
  column: 'sealed_key',
  row: kid,
});

export function publicJwkOf(publicKey: KeyObject): RsaPublicJwk {
  const { e, kty, n } = publicKey.export({ format: 'jwk' });
  if (kty !== 'RSA' || e === undefined || n === undefined) throw new Error('a signing key is an RSA key');
  return { kty, e, n };
}

function kidOf(publicJwk: RsaPublicJwk): string {
  const thumbprint = thumbprintOf({ ...publicJwk });
  if (thumbprint === null) throw new Error('a signing key without exponent or modulus');
  return thumbprint;
}

export interface SigningKeyPorts {
  readonly masterKey: MasterKey;
  readonly makeKeyPair: MakeKeyPair;
}

export async function makeSigningKey(
  { makeKeyPair, masterKey }: SigningKeyPorts,
  orgId: OrgId,
): Promise<MadeSigningKey> {
  const { privateKey, publicKey } = await makeKeyPair();
  const publicJwk = publicJwkOf(publicKey);
  const kid = kidOf(publicJwk);
  const text = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  return { kid, algorithm: 'RS256', publicJwk, sealedKey: seal(masterKey, placeOf(orgId, kid), text) };
}

export function openSigningKey(masterKey: MasterKey, orgId: OrgId, kid: string, sealedKey: Buffer): KeyObject {
  const privateKey = createPrivateKey(unsealText(masterKey, placeOf(orgId, kid), sealedKey));
  if (kidOf(publicJwkOf(createPublicKey(privateKey))) !== kid) {
    throw new Error(`signing key ${kid} does not belong to its published half`);
  }
  return privateKey;
}
