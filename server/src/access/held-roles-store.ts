import type { HeldRole } from '../kernel/held-role.ts';
import type { OrgId } from '../kernel/ids.ts';
import { type Db, prepared } from '../platform/postgres/index.ts';

/**
 * Everything that a user (by own assignments and by groups) or a client holds, as an array of HeldRole: part of the one
 * statement that finds who sends a request. `holder` is SQL of ours; the org is `$1`.
 */
export const heldRoles = (holder: string): string =>
  `coalesce((select jsonb_agg(h.role) from held_roles h where h.org_id = $1 and h.holder_id = ${holder}), '[]')`;

/** What a user or a client holds now. */
export async function rolesOfHolder(db: Db, orgId: OrgId, holderId: string): Promise<readonly HeldRole[]> {
  const text = `select ${heldRoles('$2')} as roles`;
  const [row] = await prepared<{ roles: readonly HeldRole[] }>(db, 'held_roles', text, [orgId, holderId]);
  return row?.roles ?? [];
}
