import type { AppId, OrgId } from '../../../kernel/words/ids.ts';
import { type MasterKey, type SealedPlace, seal } from '../../../platform/crypto/index.ts';

const placeOf = (orgId: OrgId, appId: AppId): SealedPlace => ({
  orgId,
  table: 'apps',
  column: 'sealed_password',
  row: appId,
});

export const sealSharedPassword = (masterKey: MasterKey, orgId: OrgId, appId: AppId, password: string): Buffer =>
  seal(masterKey, placeOf(orgId, appId), password);
