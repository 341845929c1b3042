import type { Context } from '../../kernel/context.ts';
import { type Answer, versioned } from '../../platform/http/index.ts';
import type { UsersPorts } from './ports.ts';
import type { UserRow } from './user-row.ts';
import { userVersion, wireUser } from './wire.ts';

export interface UserRoutesPorts {
  readonly users: UsersPorts;
}

interface Shown {
  /** Parts that the caller does not want. */
  readonly omit?: ReadonlySet<string>;
  /** What the caller wants besides. */
  readonly embedded?: Readonly<Record<string, unknown>>;
}

/** 200 with the whole user, its links and its entity tag. */
export async function answerUser(
  { users }: UserRoutesPorts,
  context: Context,
  user: UserRow,
  { embedded, omit = new Set() }: Shown = {},
): Promise<Answer> {
  const schemaId = (await users.schemaIdOf(users.db, context.orgId, user.typeId)) ?? user.typeId;
  const wire = wireUser(user, context, schemaId, omit);
  return versioned(userVersion(user), embedded === undefined ? wire : { ...wire, _embedded: embedded });
}
