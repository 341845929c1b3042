import { createHmac } from 'node:crypto';
import type { Version } from '../../../kernel/version.ts';
import type { AppId, OrgId } from '../../../kernel/words/ids.ts';
import { type MasterKey, type SealedPlace, unsealText } from '../../../platform/crypto/index.ts';
import { changeTarget, type Target } from '../../../system-log/index.ts';
import type { AppStatus } from '../lifecycle.ts';

export interface StoredSecret {
  readonly id: string;
  readonly sealedSecret: Buffer;
  /** The SHA-256 hash of the value. */
  readonly secretHash: Buffer;
  readonly status: AppStatus;
  readonly createdAt: Date;
  readonly lastUpdatedAt: Date;
  readonly revision: number;
}

export const secretPlace = (orgId: OrgId, appId: AppId, id: string): SealedPlace => ({
  orgId,
  table: 'app_secrets',
  column: 'sealed_secret',
  row: `${appId}/${id}`,
});

export const openSecret = (
  masterKey: MasterKey,
  orgId: OrgId,
  appId: AppId,
  secret: Pick<StoredSecret, 'id' | 'sealedSecret'>,
): string => unsealText(masterKey, secretPlace(orgId, appId, secret.id), secret.sealedSecret);

/** Returns a keyed hash that identifies a secret. From a plain hash, readers could guess a weak secret. */
export const secretFingerprint = (masterKey: MasterKey, { secretHash }: StoredSecret): string =>
  createHmac('sha256', masterKey.subkey('client secret fingerprint'))
    .update(secretHash)
    .digest()
    .subarray(0, 16)
    .toString('base64url');

export const secretVersion = ({ id, revision }: StoredSecret): Version => ({ kind: 'clientSecret', id, revision });

export const secretTarget = ({ id }: StoredSecret): Target => ({
  id,
  type: 'ClientSecret',
  displayName: 'Client secret',
});

export const secretChange = changeTarget(secretTarget, ({ status }) => ({ status }));
