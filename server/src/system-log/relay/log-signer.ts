import type { OrgId } from '../../kernel/words/ids.ts';
import type { JsonObject } from '../write/event.ts';

/**
 * Signs a statement about an org's log (a checkpoint, an anchor) as a compact JWS with the org's own signing key, whose
 * public half is in the org's key set. `typ` is a member of the header.
 */
export type LogSigner = (orgId: OrgId, typ: string, claims: JsonObject, now: Date) => Promise<string>;
