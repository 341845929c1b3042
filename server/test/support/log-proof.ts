import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { calculateJwkThumbprint } from 'jose';
import type { OrgId } from '../../src/kernel/words/ids.ts';
import type { Db } from '../../src/platform/postgres/index.ts';
import { createLogSigner, type LogSigner } from '../../src/system-log/index.ts';

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

export function compactJws(header: object, claims: object, key: KeyObject): string {
  const input = `${encode(header)}.${encode(claims)}`;
  return `${input}.${sign('sha256', Buffer.from(input), key).toString('base64url')}`;
}

export interface ProofKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly publicJwk: Record<string, unknown>;
}

export async function newProofKey(): Promise<ProofKey> {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const publicJwk = createPublicKey(createPrivateKey(privateKey.export({ type: 'pkcs8', format: 'pem' }))).export({
    format: 'jwk',
  });
  return { kid: await calculateJwkThumbprint(publicJwk), privateKey, publicJwk: { ...publicJwk } };
}

export const proofSigner = (db: Db, { kid, privateKey, publicJwk }: ProofKey): LogSigner =>
  createLogSigner({
    db,
    sign: async (_orgId: OrgId, typ, claims) => ({
      jws: compactJws({ alg: 'RS256', kid, typ }, claims, privateKey),
      kid,
      publicJwk,
    }),
  });
