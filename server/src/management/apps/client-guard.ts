import { lacksScope, mayActOn, rolesOfHolder } from '../../access/index.ts';
import type { Context } from '../../kernel/context.ts';
import { apiError } from '../../kernel/errors.ts';
import type { Tx } from '../../platform/postgres/index.ts';
import { findGrants } from './grant-store.ts';

/** Whether the caller holds all that a client holds as an administrator; the service itself always does. */
export async function mayActOnClient(tx: Tx, context: Context, appId: string): Promise<boolean> {
  if (context.principal.kind === 'system') return true;
  return mayActOn(context.roles, await rolesOfHolder(tx, context.orgId, appId));
}

/**
 * 403 E0000006 when the client holds more than the caller: whoever changes its keys, secrets, grants or roles could act
 * as it. To be asked under the lock of the app's row, which a role that is being granted waits for too.
 */
export async function assertMayActOnClient(tx: Tx, context: Context, appId: string): Promise<void> {
  if (!(await mayActOnClient(tx, context, appId))) throw apiError('E0000006');
}

/**
 * Whether the token of the caller has every scope that the client may ask for: whoever holds what the client proves
 * itself with could ask for them as the client. Credentials without scopes are not asked for any.
 */
export async function mayProveClient(tx: Tx, { orgId, scopes }: Context, appId: string): Promise<boolean> {
  if (scopes === null) return true;
  const granted = (await findGrants(tx, orgId, appId)).map(({ scope }) => scope);
  return !lacksScope({ scopes }, granted);
}

/** 403 E0000006 when the client may ask for scopes that the token of the caller lacks. */
export async function assertMayProveClient(tx: Tx, context: Context, appId: string): Promise<void> {
  if (!(await mayProveClient(tx, context, appId))) throw apiError('E0000006');
}
