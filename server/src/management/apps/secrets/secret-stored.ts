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

/** The place to which a sealed secret is bound: it can't be opened in another app, even of the same org. */
export const secretPlace = (orgId: OrgId, appId: AppId, id: string): SealedPlace => ({
  orgId,
  table: 'app_secrets',
  column: 'sealed_secret',
  row: `${appId}/${id}`,
});

/** Opens the value of a secret. Throws SealError when it was sealed by another key or for another place. */
export const openSecret = (
  masterKey: MasterKey,
  orgId: OrgId,
  appId: AppId,
  secret: Pick<StoredSecret, 'id' | 'sealedSecret'>,
): string => unsealText(masterKey, secretPlace(orgId, appId, secret.id), secret.sealedSecret);

/**
 * Identifies a secret without revealing it, in 22 characters. The digest is keyed because clients may choose weak
 * secrets, and a plain hash would let its readers guess them.
 */
export const secretFingerprint = (masterKey: MasterKey, { secretHash }: StoredSecret): string =>
  createHmac('sha256', masterKey.subkey('client secret fingerprint'))
    .update(secretHash)
    .digest()
    .subarray(0, 16)
    .toString('base64url');

export const secretVersion = ({ id, revision }: StoredSecret): Version => ({ kind: 'clientSecret', id, revision });

/** The secret as an event target, without its value. */
export const secretTarget = ({ id }: StoredSecret): Target => ({
  id,
  type: 'ClientSecret',
  displayName: 'Client secret',
});

/** The secret as an event target with its change details, without its value. */
export const secretChange = changeTarget(secretTarget, ({ status }) => ({ status }));
