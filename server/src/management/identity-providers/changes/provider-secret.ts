import type { OrgId } from '../../../kernel/words/ids.ts';
import { type MasterKey, type SealedPlace, seal, unsealText } from '../../../platform/crypto/index.ts';
import type { Provider } from '../store.ts';

/** Where a provider's secret is good: not even in another provider of the org. */
const placeOf = (orgId: OrgId, id: string): SealedPlace => ({
  orgId,
  table: 'identity_providers',
  column: 'sealed_secret',
  row: id,
});

export const sealProviderSecret = (masterKey: MasterKey, orgId: OrgId, id: string, secret: string): Buffer =>
  seal(masterKey, placeOf(orgId, id), secret);

/** Null: it has none. Throws SealError when it was sealed by another key or for another place. */
export const openProviderSecret = (masterKey: MasterKey, orgId: OrgId, provider: Provider): string | null =>
  provider.sealedSecret === null ? null : unsealText(masterKey, placeOf(orgId, provider.id), provider.sealedSecret);
