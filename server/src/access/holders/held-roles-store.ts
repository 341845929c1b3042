import type { HeldRole } from '../../kernel/words/held-role.ts';
import type { OrgId } from '../../kernel/words/ids.ts';
import { type Db, prepared } from '../../platform/postgres/index.ts';

/**
 * The roles of all holders of the org `$1`, as a table. Each subquery names the org, so that PostgreSQL and Citus see
 * that nothing is read of another one.
 */
const HELD_ROLES = `(
  select h.holder_id, jsonb_build_object(
      'type', h.role_type,
      'custom', null,
      'targets', case when h.is_targeted then (
        select jsonb_build_object(
          'groupIds', coalesce(jsonb_agg(t.target_key) filter (where t.target_type = 'GROUP'), '[]'),
          'everyone', coalesce(bool_or(g.type = 'BUILT_IN'), false),
          'appIds', coalesce(jsonb_agg(t.target_key) filter (where t.target_type = 'APP'), '[]'),
          'appNames', coalesce(jsonb_agg(t.target_key) filter (where t.target_type = 'APP_NAME'), '[]'))
        from role_targets t left join groups g on g.org_id = $1 and g.id = t.target_group_id
        where t.org_id = $1 and t.assignee_id = h.assignee_id and t.role_type = h.role_type) end) as role
  from (
    select r.holder_id, r.assignee_id, r.role_type, r.is_targeted from role_holders r where r.org_id = $1
    union all
    select g.group_id, g.group_id, g.role_type, g.is_targeted from group_role_assignments g where g.org_id = $1) h
  union all
  select b.holder_id, jsonb_build_object(
      'type', 'CUSTOM',
      'targets', null,
      'custom', jsonb_build_object(
        'permissions', coalesce((
          select jsonb_agg(jsonb_build_object('name', p.permission, 'conditions', p.conditions))
          from custom_role_permissions p where p.org_id = $1 and p.role_id = b.role_id), '[]'),
        'resources', coalesce((
          -- The members of the group of all users are all users.
          select jsonb_agg(jsonb_build_object(
            'kind', case when r.kind = 'groupUsers' and g.type = 'BUILT_IN' then 'users' else r.kind end,
            'key', nullif(r.key, ''), 'excluded', r.excluded))
          from resource_set_resources r left join groups g on g.org_id = $1 and g.id = r.group_id
          where r.org_id = $1 and r.resource_set_id = b.resource_set_id), '[]')))
  from binding_holders b where b.org_id = $1)`;

/**
 * Returns SQL for the roles of a holder as an array of `HeldRole`; a user also has the roles of their groups. `holder`
 * is inserted as SQL, so it must never come from a request; the org is `$1`.
 */
export const heldRoles = (holder: string): string =>
  `coalesce((select jsonb_agg(h.role) from ${HELD_ROLES} h where h.holder_id = ${holder}), '[]')`;

export interface RolesSince {
  readonly rolesBefore: readonly HeldRole[];
  readonly rolesNow: readonly HeldRole[];
}

/** Returns SQL for the columns of `RolesSince`. `row` is the alias of a row with `user_id` and `held_roles`. */
export const rolesSince = (row: string): string =>
  `coalesce(${row}.held_roles, '[]') as "rolesBefore", ${heldRoles(`${row}.user_id`)} as "rolesNow"`;

/** A group is a holder if its members have a role through it. */
export async function holdsAnyRole(db: Db, orgId: OrgId, holderIds: readonly string[]): Promise<boolean> {
  const text = `select 1 as found from ${HELD_ROLES} h where h.holder_id = any($2::text[]) limit 1`;
  return (await prepared(db, 'held_roles_of_any', text, [orgId, holderIds])).length > 0;
}

export async function holdersAmong(db: Db, orgId: OrgId, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const text = `select distinct h.holder_id as id from ${HELD_ROLES} h where h.holder_id = any($2::text[])`;
  const rows = await prepared<{ id: string }>(db, 'held_roles_holders', text, [orgId, ids]);
  return new Set(rows.map(({ id }) => id));
}

export async function rolesOfHolder(db: Db, orgId: OrgId, holderId: string): Promise<readonly HeldRole[]> {
  const text = `select ${heldRoles('$2')} as roles`;
  const [row] = await prepared<{ roles: readonly HeldRole[] }>(db, 'held_roles', text, [orgId, holderId]);
  return row?.roles ?? [];
}
