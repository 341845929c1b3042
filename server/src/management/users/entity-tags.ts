import type { Context } from '../../kernel/context.ts';
import { apiError } from '../../kernel/errors.ts';
import { type EntityTags, parseIfMatch } from '../../platform/http/index.ts';
import type { UserRow } from './user-row.ts';

const KIND = 'user';

/** `ETag` header of one user, from its revision alone (specification 2.10). */
export const userTagHeaders = (tags: EntityTags, context: Context, user: UserRow): Record<string, string> => ({
  ETag: tags.current({ orgId: context.orgId, kind: KIND, id: user.id, revision: user.revision }),
});

/** Condition of an update; made from the header before the transaction, asked under the row lock. */
export type IfMatch = (user: UserRow) => void;

export const UNCONDITIONAL: IfMatch = () => undefined;

/** 412 E0000231 when no listed tag names the current revision; 400 E0000242 when the header is no list of tags. */
export function ifMatch(tags: EntityTags, context: Context, header: string | string[] | undefined): IfMatch {
  if (header === undefined) return UNCONDITIONAL;
  const wanted = parseIfMatch(Array.isArray(header) ? header.join(',') : header);
  if (wanted === 'invalid') throw apiError('E0000242');
  if (wanted === 'any') return UNCONDITIONAL;
  return (user) => {
    const resource = { orgId: context.orgId, kind: KIND, id: user.id, revision: user.revision };
    if (!tags.accepts(resource, wanted, context.now)) throw apiError('E0000231');
  };
}

/** On create nothing exists yet: any If-Match fails, `If-None-Match: *` passes. */
export function assertCreatable(headers: Readonly<Record<string, string | string[] | undefined>>): void {
  if (headers['if-match'] !== undefined) throw apiError('E0000231');
}
