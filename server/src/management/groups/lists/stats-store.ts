import type { OrgId } from '../../../kernel/words/ids.ts';
import { type Db, run } from '../../../platform/postgres/index.ts';

export interface GroupStats {
  readonly usersCount: number;
  readonly appsCount: number;
  readonly hasAdminPrivilege: boolean;
}

interface StatsRow extends GroupStats {
  readonly id: string;
}

export async function readStats(
  db: Db,
  orgId: OrgId,
  groupIds: readonly string[],
): Promise<ReadonlyMap<string, GroupStats>> {
  const text = `select g.id,
      case when g.type = 'BUILT_IN' then (select count(*) from users u where u.org_id = $1)
        else (select count(*) from group_members m where m.org_id = $1 and m.group_id = g.id) end as "usersCount",
      (select count(*) from app_groups a where a.org_id = $1 and a.group_id = g.id) as "appsCount",
      exists (select from group_role_assignments r where r.org_id = $1 and r.group_id = g.id)
        or exists (select from role_binding_members b where b.org_id = $1 and b.member_id = g.id)
        as "hasAdminPrivilege"
    from groups g where g.org_id = $1 and g.id = any($2::text[])`;
  const rows = await run<StatsRow>(db, text, [orgId, groupIds]);
  return new Map(rows.map((row) => [row.id, row]));
}
