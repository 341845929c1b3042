import type { UserStatus } from '../../kernel/user-statuses.ts';
import type { HeldRole } from '../../kernel/words/held-role.ts';
import type { OrgId } from '../../kernel/words/ids.ts';
import { type Db, prepared } from '../../platform/postgres/index.ts';
import { admits } from '../admission.ts';
import { heldRoles } from '../holders/held-roles-store.ts';
import { type AttributeSight, sightOfRoles, WHOLE_SIGHT } from './attribute-sight.ts';

interface OwnerRow {
  readonly roles: readonly HeldRole[];
  readonly userStatus: UserStatus | null;
  readonly clientStatus: string | null;
}

const isThere = ({ clientStatus, userStatus }: OwnerRow): boolean =>
  userStatus === null ? clientStatus === 'ACTIVE' : admits('useSession', { user: { status: userStatus } }) === null;

/**
 * Returns the attributes that the owner of a sink may see now: all if `ownerId` is null, none if the owner no longer
 * exists or may no longer use the service.
 */
export async function sightOfOwner(db: Db, orgId: OrgId, ownerId: string | null): Promise<AttributeSight> {
  if (ownerId === null) return WHOLE_SIGHT;
  const text = `select ${heldRoles('$2')} as roles,
    (select status from users where org_id = $1 and id = $2) as "userStatus",
    (select status from apps where org_id = $1 and client_id = $2) as "clientStatus"`;
  const [row] = await prepared<OwnerRow>(db, 'sight_of_owner', text, [orgId, ownerId]);
  return sightOfRoles(row !== undefined && isThere(row) ? row.roles : []);
}
