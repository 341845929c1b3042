import type { HeldRole } from '../../kernel/words/held-role.ts';
import type { OrgId } from '../../kernel/words/ids.ts';
import { type Db, prepared } from '../../platform/postgres/index.ts';

/**
 * Returns SQL for the roles of a holder as an array of `HeldRole`; a user also has the roles of their groups. `holder`
 * is inserted as SQL, so it must never come from a request; the org is `$1`.
 */
export const heldRoles = (holder: string): string =>
  `coalesce((select jsonb_agg(h.role) from held_roles h where h.org_id = $1 and h.holder_id = ${holder}), '[]')`;

export interface RolesSince {
  readonly rolesBefore: readonly HeldRole[];
  readonly rolesNow: readonly HeldRole[];
}

/** Returns SQL for the columns of `RolesSince`. `row` is the alias of a row with `user_id` and `held_roles`. */
export const rolesSince = (row: string): string =>
  `coalesce(${row}.held_roles, '[]') as "rolesBefore", ${heldRoles(`${row}.user_id`)} as "rolesNow"`;

/** A group is a holder if its members have a role through it. */
export async function holdsAnyRole(db: Db, orgId: OrgId, holderIds: readonly string[]): Promise<boolean> {
  const text = 'select 1 as found from held_roles h where h.org_id = $1 and h.holder_id = any($2::text[]) limit 1';
  return (await prepared(db, 'held_roles_of_any', text, [orgId, holderIds])).length > 0;
}

export async function holdersAmong(db: Db, orgId: OrgId, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const text = `select distinct h.holder_id as id from held_roles h
    where h.org_id = $1 and h.holder_id = any($2::text[])`;
  const rows = await prepared<{ id: string }>(db, 'held_roles_holders', text, [orgId, ids]);
  return new Set(rows.map(({ id }) => id));
}

export async function rolesOfHolder(db: Db, orgId: OrgId, holderId: string): Promise<readonly HeldRole[]> {
  const text = `select ${heldRoles('$2')} as roles`;
  const [row] = await prepared<{ roles: readonly HeldRole[] }>(db, 'held_roles', text, [orgId, holderId]);
  return row?.roles ?? [];
}
