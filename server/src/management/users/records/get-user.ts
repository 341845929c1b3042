import { coversUser } from '../../../access/index.ts';
import type { Context } from '../../../kernel/context.ts';
import { apiError, notFound } from '../../../kernel/errors/errors.ts';
import type { Grant } from '../../../platform/http/index.ts';
import type { UsersPorts } from '../ports.ts';
import { resolveUserId } from './guards.ts';
import type { UserRow } from './user-row.ts';

export async function getUser(ports: UsersPorts, context: Context, grant: Grant, idOrLogin: string): Promise<UserRow> {
  const userId = await resolveUserId(ports.db, context, idOrLogin, grant);
  // The grant is checked before the user is read, so that callers do not learn which ids exist outside their grant.
  if (!(await coversUser(ports.db, context.orgId, grant, userId))) throw apiError('E0000006');
  const user = await ports.findUser(context.orgId, userId);
  if (user === undefined) throw notFound(idOrLogin, 'User');
  return user;
}
