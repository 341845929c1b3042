import { createHmac } from 'node:crypto';
import type { Version } from '../../../kernel/version.ts';
import type { AppId, OrgId } from '../../../kernel/words/ids.ts';
import { type MasterKey, type SealedPlace, unsealText } from '../../../platform/crypto/index.ts';
import { changeTarget, type Target } from '../../../system-log/index.ts';
import type { AppStatus } from '../lifecycle.ts';

/** A secret of a client; its value is sealed. */
export interface StoredSecret {
  readonly id: string;
  readonly sealedSecret: Buffer;
  /** SHA-256, by which the client is authenticated. */
  readonly secretHash: Buffer;
  readonly status: AppStatus;
  readonly createdAt: Date;
  readonly lastUpdatedAt: Date;
  readonly revision: number;
}

/** Where a sealed secret is good: not even in another app of the org. */
export const secretPlace = (orgId: OrgId, appId: AppId, id: string): SealedPlace => ({
  orgId,
  table: 'app_secrets',
  column: 'sealed_secret',
  row: `${appId}/${id}`,
});

/** The value of a secret. Throws SealError when it was sealed by another key or for another place. */
export const openSecret = (
  masterKey: MasterKey,
  orgId: OrgId,
  appId: AppId,
  secret: Pick<StoredSecret, 'id' | 'sealedSecret'>,
): string => unsealText(masterKey, secretPlace(orgId, appId, secret.id), secret.sealedSecret);

/**
 * Tells secrets apart without telling anything of them: 22 characters. Keyed, since clients bring secrets of their own,
 * and a plain hash of a weak one could be tried out by whoever may read it.
 */
export const secretFingerprint = (masterKey: MasterKey, { secretHash }: StoredSecret): string =>
  createHmac('sha256', masterKey.subkey('client secret fingerprint'))
    .update(secretHash)
    .digest()
    .subarray(0, 16)
    .toString('base64url');

/** What its entity tag stands for. */
export const secretVersion = ({ id, revision }: StoredSecret): Version => ({ kind: 'clientSecret', id, revision });

/** How events name a secret; nothing of its value. */
export const secretTarget = ({ id }: StoredSecret): Target => ({
  id,
  type: 'ClientSecret',
  displayName: 'Client secret',
});

/** The secret as events name it, with what became of it; nothing of its value. */
export const secretChange = changeTarget(secretTarget, ({ status }) => ({ status }));
