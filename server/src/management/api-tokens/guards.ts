import { assertHolds } from '../../access/index.ts';
import { type Context, userIdOf } from '../../kernel/context.ts';
import { notFound } from '../../kernel/errors/errors.ts';
import { assertVersion } from '../../kernel/version.ts';
import type { Tx } from '../../platform/postgres/index.ts';
import { rolesOfUser } from '../roles/index.ts';
import { oldestLivingUse } from './rules.ts';
import { type ApiToken, findApiTokenForUpdate } from './store.ts';
import { apiTokenVersion } from './wire.ts';

/** To change the token of another user, callers need at least that user's rights. */
export async function lockApiToken(tx: Tx, context: Context, id: string): Promise<ApiToken> {
  const token = await findApiTokenForUpdate(tx, context.orgId, id, oldestLivingUse(context.now));
  if (token === undefined) throw notFound(id, 'ApiToken');
  const isOwn = userIdOf(context.principal) === token.userId;
  if (!isOwn) assertHolds(context, await rolesOfUser(tx, context.orgId, token.userId));
  assertVersion(context, apiTokenVersion(token));
  return token;
}
