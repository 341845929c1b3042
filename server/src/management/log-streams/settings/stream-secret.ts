import type { OrgId } from '../../../kernel/words/ids.ts';
import { type MasterKey, type SealedPlace, seal, unsealText } from '../../../platform/crypto/index.ts';
import type { LogStream } from '../store.ts';

/** The place to which a sealed secret is bound: it can't be opened in another stream, even of the same org. */
const placeOf = (orgId: OrgId, id: string): SealedPlace => ({
  orgId,
  table: 'log_streams',
  column: 'sealed_secret',
  row: id,
});

export const sealStreamSecret = (masterKey: MasterKey, orgId: OrgId, id: string, secret: string): Buffer =>
  seal(masterKey, placeOf(orgId, id), secret);

/**
 * Opens the secret of a stream; null when there is none. Throws SealError when it was sealed by another key or for
 * another place.
 */
export const openStreamSecret = (masterKey: MasterKey, orgId: OrgId, stream: LogStream): string | null =>
  stream.sealedSecret === null ? null : unsealText(masterKey, placeOf(orgId, stream.id), stream.sealedSecret);
