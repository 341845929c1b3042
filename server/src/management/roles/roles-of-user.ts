import { apiError } from '../../kernel/errors.ts';
import type { OrgId } from '../../kernel/ids.ts';
import type { Db, Tx } from '../../platform/postgres/index.ts';
import { existsOtherHolder, lockRoleHolders, readRoleAssignments } from './store.ts';

/** Types of the roles a user holds now. */
export async function rolesOfUser(db: Db, orgId: OrgId, userId: string): Promise<readonly string[]> {
  return (await readRoleAssignments(db, orgId, userId)).map(({ roleType }) => roleType);
}

/**
 * Throws 403 E0000006 when nobody but this user could administer the org. To be asked, under the lock of the user's
 * row, before a super administrator loses the role or can no longer act. Two who go at once wait for one another here.
 */
export async function assertNotLastSuperAdmin(tx: Tx, orgId: OrgId, userId: string): Promise<void> {
  if (!(await rolesOfUser(tx, orgId, userId)).includes('SUPER_ADMIN')) return;
  await lockRoleHolders(tx, orgId, 'SUPER_ADMIN');
  if (await existsOtherHolder(tx, orgId, userId, 'SUPER_ADMIN')) return;
  throw apiError('E0000006', {
    causes: ['user: The last super administrator of the org must keep the role and stay active.'],
  });
}
