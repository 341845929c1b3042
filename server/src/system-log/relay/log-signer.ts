import type { OrgId } from '../../kernel/words/ids.ts';
import type { JsonObject } from '../write/event.ts';

/**
 * Signs a statement about an org's log, such as a checkpoint or an anchor, as a compact JWS. The key is the org's own
 * signing key, whose public half is in the org's key set. `typ` is a member of the JWS header.
 */
export type LogSigner = (orgId: OrgId, typ: string, claims: JsonObject, now: Date) => Promise<string>;
