import type { Context } from '../../kernel/context.ts';
import { type Answer, versioned } from '../../platform/http/index.ts';
import type { UsersPorts } from './ports.ts';
import type { UserRow } from './user-row.ts';
import { userVersion, wireUser } from './wire.ts';

export interface UserRoutesPorts {
  readonly users: UsersPorts;
}

/** 200 with the whole user, its links and its entity tag. */
export async function answerUser(
  { users }: UserRoutesPorts,
  context: Context,
  user: UserRow,
  omit: ReadonlySet<string> = new Set(),
): Promise<Answer> {
  const schemaId = (await users.schemaIdOf(users.db, context.orgId, user.typeId)) ?? user.typeId;
  return versioned(userVersion(user), wireUser(user, context, schemaId, omit));
}
