import type { OrgId } from '../../kernel/words/ids.ts';
import type { JsonObject } from '../write/event.ts';

/** Signs a statement about an org's log as a compact JWS with header `typ`, with the org's own signing key. */
export type LogSigner = (orgId: OrgId, typ: string, claims: JsonObject, now: Date) => Promise<string>;
