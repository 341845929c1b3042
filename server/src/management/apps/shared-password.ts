import type { OrgId } from '../../kernel/ids.ts';
import { type MasterKey, type SealedPlace, seal } from '../../platform/crypto/index.ts';

const placeOf = (orgId: OrgId, appId: string): SealedPlace => ({
  orgId,
  table: 'apps',
  column: 'sealed_password',
  row: appId,
});

/** The password that everybody shares in an app, for its row alone; it is never shown again. */
export const sealSharedPassword = (masterKey: MasterKey, orgId: OrgId, appId: string, password: string): Buffer =>
  seal(masterKey, placeOf(orgId, appId), password);
