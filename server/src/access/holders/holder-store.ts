import type { UserStatus } from '../../kernel/user-statuses.ts';
import type { HeldRole } from '../../kernel/words/held-role.ts';
import type { OrgId } from '../../kernel/words/ids.ts';
import { type Db, prepared } from '../../platform/postgres/index.ts';
import { heldRoles } from './held-roles-store.ts';

/** A user, or a client whose app is active. */
export interface Holder {
  /** The status of a client is always ACTIVE. */
  readonly status: UserStatus;
  readonly applicationType: string | null;
  readonly roles: readonly HeldRole[];
}

/**
 * Returns a subquery that finds a holder by id. `id` is inserted as SQL, so it must never come from a request; the org
 * is `$1`.
 */
export const holders = (id: string): string => `(
      select u.status, null::text as application_type from users u where u.org_id = $1 and u.id = ${id}
      union all
      select 'ACTIVE', c.application_type from apps c
      where c.org_id = $1 and c.client_id = ${id} and c.status = 'ACTIVE')`;

export async function findHolder(db: Db, orgId: OrgId, id: string): Promise<Holder | undefined> {
  const text = `select h.status, h.application_type as "applicationType", ${heldRoles('$2')} as roles
    from ${holders('$2')} h`;
  const [row] = await prepared<Holder>(db, 'holder_by_id', text, [orgId, id]);
  return row;
}
