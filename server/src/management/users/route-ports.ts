import type { Context } from '../../kernel/context.ts';
import { type Answer, type EntityTags, ok } from '../../platform/http/index.ts';
import { userTagHeaders } from './entity-tags.ts';
import type { UsersPorts } from './ports.ts';
import type { UserRow } from './user-row.ts';
import { wireUser } from './wire.ts';

export interface UserRoutesPorts {
  readonly users: UsersPorts;
  readonly tags: EntityTags;
}

/** 200 with the whole user, its links and its entity tag. */
export async function answerUser(
  { users, tags }: UserRoutesPorts,
  context: Context,
  user: UserRow,
  omit: ReadonlySet<string> = new Set(),
): Promise<Answer> {
  const schemaId = (await users.schemaIdOf(users.db, context.orgId, user.typeId)) ?? user.typeId;
  return ok(wireUser(user, context, schemaId, omit), userTagHeaders(tags, context, user));
}
