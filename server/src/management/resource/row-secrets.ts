import type { OrgId } from '../../kernel/words/ids.ts';
import { type MasterKey, type SealedPlace, seal, unsealText } from '../../platform/crypto/index.ts';

interface SecretHolder {
  readonly id: string;
  readonly sealedSecret: Buffer | null;
}

export interface RowSecrets {
  readonly seal: (masterKey: MasterKey, orgId: OrgId, id: string, secret: string) => Buffer;
  /** Returns null if the row has no secret. */
  readonly open: (masterKey: MasterKey, orgId: OrgId, row: SecretHolder) => string | null;
}

/** Each secret is bound to its row and cannot be opened for another row. */
export function rowSecrets(table: string): RowSecrets {
  const placeOf = (orgId: OrgId, id: string): SealedPlace => ({ orgId, table, column: 'sealed_secret', row: id });
  return {
    seal: (masterKey, orgId, id, secret) => seal(masterKey, placeOf(orgId, id), secret),
    open: (masterKey, orgId, { id, sealedSecret }) =>
      sealedSecret === null ? null : unsealText(masterKey, placeOf(orgId, id), sealedSecret),
  };
}
