import type { OrgId } from '../../kernel/words/ids.ts';
import type { JsonObject } from '../write/event.ts';

/** Signs a statement about an org's log. Returns a compact JWS with the header `typ`. */
export type LogSigner = (orgId: OrgId, typ: string, claims: JsonObject, now: Date) => Promise<string>;
