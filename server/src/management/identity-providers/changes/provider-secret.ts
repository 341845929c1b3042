import type { OrgId } from '../../../kernel/words/ids.ts';
import { type MasterKey, type SealedPlace, seal, unsealText } from '../../../platform/crypto/index.ts';
import type { Provider } from '../store.ts';

/** The place to which a sealed secret is bound: it can't be opened in another provider, even of the same org. */
const placeOf = (orgId: OrgId, id: string): SealedPlace => ({
  orgId,
  table: 'identity_providers',
  column: 'sealed_secret',
  row: id,
});

export const sealProviderSecret = (masterKey: MasterKey, orgId: OrgId, id: string, secret: string): Buffer =>
  seal(masterKey, placeOf(orgId, id), secret);

/**
 * Opens the secret; null when there is none. Throws SealError when it was sealed by another key or for another place.
 */
export const openProviderSecret = (masterKey: MasterKey, orgId: OrgId, provider: Provider): string | null =>
  provider.sealedSecret === null ? null : unsealText(masterKey, placeOf(orgId, provider.id), provider.sealedSecret);
