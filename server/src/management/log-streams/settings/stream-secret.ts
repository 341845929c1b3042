import type { OrgId } from '../../../kernel/words/ids.ts';
import { type MasterKey, type SealedPlace, seal, unsealText } from '../../../platform/crypto/index.ts';
import type { LogStream } from '../store.ts';

/** Where a stream's secret is good: not even in another stream of the org. */
const placeOf = (orgId: OrgId, id: string): SealedPlace => ({
  orgId,
  table: 'log_streams',
  column: 'sealed_secret',
  row: id,
});

export const sealStreamSecret = (masterKey: MasterKey, orgId: OrgId, id: string, secret: string): Buffer =>
  seal(masterKey, placeOf(orgId, id), secret);

/**
 * The token of a Splunk stream, the HMAC secret of a https_ndjson stream. Null: it has none. Throws SealError when it
 * was sealed by another key or for another place.
 */
export const openStreamSecret = (masterKey: MasterKey, orgId: OrgId, stream: LogStream): string | null =>
  stream.sealedSecret === null ? null : unsealText(masterKey, placeOf(orgId, stream.id), stream.sealedSecret);
