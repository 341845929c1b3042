import type { OrgId } from '../../../kernel/words/ids.ts';
import { type MasterKey, type SealedPlace, seal, unsealText } from '../../../platform/crypto/index.ts';
import type { EventHook } from '../store.ts';

/** The place to which a sealed secret is bound: it can't be opened in another hook, even of the same org. */
const placeOf = (orgId: OrgId, id: string): SealedPlace => ({
  orgId,
  table: 'event_hooks',
  column: 'sealed_secret',
  row: id,
});

export const sealHookSecret = (masterKey: MasterKey, orgId: OrgId, id: string, secret: string): Buffer =>
  seal(masterKey, placeOf(orgId, id), secret);

/**
 * Opens the secret; null when there is none. Throws SealError when it was sealed by another key or for another place.
 */
export const openHookSecret = (masterKey: MasterKey, orgId: OrgId, hook: EventHook): string | null =>
  hook.sealedSecret === null ? null : unsealText(masterKey, placeOf(orgId, hook.id), hook.sealedSecret);
