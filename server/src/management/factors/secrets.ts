import { randomBytes } from 'node:crypto';
import type { OrgId } from '../../kernel/words/ids.ts';
import { type MasterKey, type SealedPlace, seal, unsealText } from '../../platform/crypto/index.ts';
import type { Factor } from './store.ts';

/** The length of a shared secret: 160 bits, as RFC 4226 4 recommends. */
const SECRET_BYTES = 20;

export const newSharedSecret = (): Buffer => randomBytes(SECRET_BYTES);

const placeOf = (orgId: OrgId, userId: string, id: string): SealedPlace => ({
  orgId,
  table: 'user_factors',
  column: 'sealed_secret',
  row: `${userId}/${id}`,
});

/** The secret is sealed as text, because exports of orgs carry sealed texts. */
export const sealSecret = (masterKey: MasterKey, orgId: OrgId, userId: string, id: string, secret: Buffer): Buffer =>
  seal(masterKey, placeOf(orgId, userId, id), secret.toString('hex'));

/** Throws if the factor has no secret, or one that anybody could guess. */
export function openSecret(masterKey: MasterKey, orgId: OrgId, { id, sealedSecret, userId }: Factor): Buffer {
  if (sealedSecret === null) throw new Error('a factor without a secret has no codes');
  const secret = Buffer.from(unsealText(masterKey, placeOf(orgId, userId, id), sealedSecret), 'hex');
  if (secret.length !== SECRET_BYTES) throw new Error('the secret of a factor has another length');
  return secret;
}
