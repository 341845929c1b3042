import { createHash, createPrivateKey, type KeyObject } from 'node:crypto';
import type { Context } from '../../../kernel/context.ts';
import { wholeSecond, wireDate } from '../../../kernel/texts/dates.ts';
import type { AppId, OrgId } from '../../../kernel/words/ids.ts';
import {
  type MakeKeyPair,
  type MasterKey,
  makeSigningCertificate,
  type SealedPlace,
  seal,
  unsealText,
} from '../../../platform/crypto/index.ts';
import { changeTarget, type Target } from '../../../system-log/index.ts';
import type { OrgKey } from '../route-ports.ts';

/** The public half of a key with its certificate, in the form of RFC 7517. */
export interface CertifiedJwk {
  readonly kty: 'RSA';
  readonly e: string;
  readonly n: string;
  /** The DER of each certificate in Base64, starting with the key's own. */
  readonly x5c: readonly string[];
  readonly 'x5t#S256': string;
}

export interface SigningKey {
  /** The RFC 7638 thumbprint of the key. */
  readonly kid: string;
  readonly jwk: CertifiedJwk;
  readonly expiresAt: Date;
  readonly createdAt: Date;
  readonly lastUpdatedAt: Date;
}

export interface SealedSigningKey extends SigningKey {
  readonly sealedKey: Buffer;
}

export const MAXIMUM_SIGNING_KEYS = 50;

export function numbersOf(publicKey: KeyObject): { readonly e: string; readonly n: string } {
  const { e, kty, n } = publicKey.export({ format: 'jwk' });
  if (kty !== 'RSA' || e === undefined || n === undefined) throw new Error('a signing key is an RSA key');
  return { e, n };
}

const sha256 = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('base64url');

/** Hashes the members that define the key. RFC 7638 prescribes their order. */
export const thumbprintOf = ({ e, n }: { readonly e: string; readonly n: string }): string =>
  sha256(JSON.stringify({ e, kty: 'RSA', n }));

export function certifiedJwk(publicKey: KeyObject, der: Buffer): CertifiedJwk {
  return { kty: 'RSA', ...numbersOf(publicKey), x5c: [der.toString('base64')], 'x5t#S256': sha256(der) };
}

const placeOf = (orgId: OrgId, appId: AppId, kid: string): SealedPlace => ({
  orgId,
  table: 'app_signing_keys',
  column: 'sealed_key',
  row: `${appId}/${kid}`,
});

export const sealSigningKey = (masterKey: MasterKey, orgId: OrgId, appId: AppId, kid: string, key: KeyObject): Buffer =>
  seal(masterKey, placeOf(orgId, appId, kid), key.export({ type: 'pkcs8', format: 'pem' }).toString());

export const openSigningKey = (
  masterKey: MasterKey,
  orgId: OrgId,
  appId: AppId,
  { kid, sealedKey }: Pick<SealedSigningKey, 'kid' | 'sealedKey'>,
): KeyObject => createPrivateKey(unsealText(masterKey, placeOf(orgId, appId, kid), sealedKey));

export interface SigningKeyPorts {
  readonly masterKey: MasterKey;
  readonly makeKeyPair: MakeKeyPair;
}

/** Call this before the transaction, because making a key is slow. */
export async function makeSigningKey(
  { makeKeyPair, masterKey }: SigningKeyPorts,
  context: Context,
  appId: AppId,
  years: number,
): Promise<SealedSigningKey> {
  const pair = await makeKeyPair();
  const now = wholeSecond(context.now);
  const expiresAt = new Date(now);
  expiresAt.setUTCFullYear(now.getUTCFullYear() + years);
  const subject = { organizationalUnitName: 'SSOProvider', commonName: new URL(context.baseUrl).hostname.slice(0, 64) };
  const der = await makeSigningCertificate(pair, subject, { notBefore: now, notAfter: expiresAt });
  const jwk = certifiedJwk(pair.publicKey, der);
  const kid = thumbprintOf(jwk);
  const sealedKey = sealSigningKey(masterKey, context.orgId, appId, kid, pair.privateKey);
  return { kid, jwk, expiresAt, createdAt: now, lastUpdatedAt: now, sealedKey };
}

export function wireSigningKey({ jwk, kid, ...key }: SigningKey): Record<string, unknown> {
  return {
    kty: jwk.kty,
    created: wireDate(key.createdAt),
    lastUpdated: wireDate(key.lastUpdatedAt),
    expiresAt: wireDate(key.expiresAt),
    kid,
    use: 'sig',
    x5c: jwk.x5c,
    'x5t#S256': jwk['x5t#S256'],
    e: jwk.e,
    n: jwk.n,
  };
}

const keyTarget = ({ kid, jwk }: SigningKey): Target => ({
  id: kid,
  type: 'SigningKey',
  alternateId: jwk['x5t#S256'],
  displayName: kid,
});

export const signingKeyChange = changeTarget(keyTarget, ({ kid, jwk, expiresAt }) => ({
  kid,
  'x5t#S256': jwk['x5t#S256'],
  expiresAt: wireDate(expiresAt),
}));

export const wireOrgKey = ({ createdAt, kid, publicJwk }: OrgKey): Record<string, unknown> => ({
  kty: publicJwk.kty,
  created: wireDate(wholeSecond(createdAt)),
  lastUpdated: wireDate(wholeSecond(createdAt)),
  kid,
  use: 'sig',
  e: publicJwk.e,
  n: publicJwk.n,
});
