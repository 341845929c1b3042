import { rolesOfHolder } from '../../../access/index.ts';
import type { Context } from '../../../kernel/context.ts';
import { type ApiError, apiError } from '../../../kernel/errors/errors.ts';
import type { HeldRole } from '../../../kernel/words/held-role.ts';
import type { OrgId } from '../../../kernel/words/ids.ts';
import type { Db, Tx } from '../../../platform/postgres/index.ts';
import type { NewEvent } from '../../../system-log/index.ts';
import { existsSuperAdmin, lockSuperAdmins, makesSuperAdmins } from '../store.ts';

export const rolesOfUser = (db: Db, orgId: OrgId, userId: string): Promise<readonly HeldRole[]> =>
  rolesOfHolder(db, orgId, userId);

const lastOne = (): ApiError =>
  apiError('E0000006', {
    causes: ['user: The last super administrator of the org must keep the role and stay active.'],
  });

/** Needs the lock on the user's row. Concurrent calls for super administrators wait for one another. */
export async function assertNotLastSuperAdmin(tx: Tx, orgId: OrgId, userId: string): Promise<void> {
  const roles = await rolesOfUser(tx, orgId, userId);
  if (!roles.some(({ type }) => type === 'SUPER_ADMIN')) return;
  await lockSuperAdmins(tx, orgId);
  if (!(await existsSuperAdmin(tx, orgId, userId))) throw lastOne();
}

/**
 * Call this after removing a role or a membership. Concurrent calls wait for one another, so that the second removal
 * sees the result of the first.
 */
export async function assertSuperAdminLeft(tx: Tx, orgId: OrgId): Promise<void> {
  await lockSuperAdmins(tx, orgId);
  if (!(await existsSuperAdmin(tx, orgId, null))) throw lastOne();
}

/** Reacts to the removal of users from groups. */
export async function assertSuperAdminRemains(tx: Tx, { orgId }: Context, events: readonly NewEvent[]): Promise<void> {
  const groupIds = new Set(
    events.flatMap(({ target = [] }) => target.filter(({ type }) => type === 'UserGroup').map(({ id }) => id)),
  );
  if (await makesSuperAdmins(tx, orgId, [...groupIds])) await assertSuperAdminLeft(tx, orgId);
}
