import type { Context } from '../../kernel/context.ts';
import { type Answer, versioned } from '../../platform/http/index.ts';
import { createSchemaIdReader } from '../schemas/index.ts';
import { type UserAction, userLinkRelations } from './lifecycle/lifecycle.ts';
import type { UsersPorts } from './ports.ts';
import type { UserRow } from './records/user-row.ts';
import { lifecycleUserOf, userVersion, wireUser } from './wire.ts';

export interface UserRoutesPorts {
  readonly users: UsersPorts;
}

interface Shown {
  readonly omit?: ReadonlySet<string>;
  readonly embedded?: Readonly<Record<string, unknown>>;
}

const ASKED = [
  ['changePassword', 'mayChangePassword'],
  ['forgotPassword', 'mayResetPassword'],
] as const;

const schemaIdOf = createSchemaIdReader();

/** Returns the password operations that the user's state permits but the password policy does not. */
async function closedByPolicy(users: UsersPorts, context: Context, user: UserRow): Promise<readonly UserAction[]> {
  const linked = new Set(userLinkRelations(lifecycleUserOf(user)).map(({ relation }) => relation));
  const asked = ASKED.filter(([action]) => linked.has(action));
  if (asked.length === 0) return [];
  const selfService = await users.selfServiceFor(context, user);
  return asked.flatMap(([action, permission]) => (selfService[permission] ? [] : [action]));
}

export async function answerUser(
  { users }: UserRoutesPorts,
  context: Context,
  user: UserRow,
  { embedded, omit = new Set() }: Shown = {},
): Promise<Answer> {
  const schemaId = (await schemaIdOf(users.db, context.orgId, user.typeId)) ?? user.typeId;
  const closed = await closedByPolicy(users, context, user);
  const wire = wireUser(user, context, schemaId, { omit, closed });
  return versioned(userVersion(user), embedded === undefined ? wire : { ...wire, _embedded: embedded });
}
