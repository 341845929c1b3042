import { mayActOn } from '../../access/index.ts';
import { type Context, userIdOf } from '../../kernel/context.ts';
import { apiError, notFound } from '../../kernel/errors.ts';
import type { Tx } from '../../platform/postgres/index.ts';
import { rolesOfUser } from '../roles/index.ts';
import { oldestLivingUse } from './rules.ts';
import { type ApiToken, findApiTokenForUpdate } from './store.ts';

/** Locks the token a change is about. 404 E0000007; 403 E0000006 where its owner holds more than the caller. */
export async function lockApiToken(tx: Tx, context: Context, id: string): Promise<ApiToken> {
  const token = await findApiTokenForUpdate(tx, context.orgId, id, oldestLivingUse(context.now));
  if (token === undefined) throw notFound(id, 'ApiToken');
  const isOwn = userIdOf(context.principal) === token.userId;
  if (isOwn || context.principal.kind === 'system') return token;
  if (!mayActOn(context.roles, await rolesOfUser(tx, context.orgId, token.userId))) throw apiError('E0000006');
  return token;
}
