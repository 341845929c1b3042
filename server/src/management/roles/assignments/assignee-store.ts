import type { AppId, ClientId, OrgId } from '../../../kernel/words/ids.ts';
import { type Db, prepared, run, type Tx } from '../../../platform/postgres/index.ts';

export type AssigneeKind = 'USER' | 'GROUP' | 'CLIENT';

export interface Assignee {
  readonly kind: AssigneeKind;
  /** For a client, this is the client id. */
  readonly id: string;
  /** The id in events. For a client, it is the id of the client's app. */
  readonly targetId: string;
  /** The `alternateId` in events. */
  readonly name: string;
  readonly displayName: string;
  /** This is null for assignees that are not groups. */
  readonly groupType: string | null;
}

const SELECTED: Readonly<Record<AssigneeKind, string>> = {
  USER: `select id, id as "targetId", login as name,
      coalesce(nullif(concat_ws(' ', first_name, last_name), ''), login) as "displayName",
    null as "groupType" from users where org_id = $1 and id = $2`,
  GROUP: `select id, id as "targetId", 'unknown' as name, name as "displayName", type as "groupType" from groups
    where org_id = $1 and id = $2`,
  CLIENT: `select client_id as id, id as "targetId", label as name,
      'OpenID Connect Client' as "displayName", null as "groupType" from apps
    where org_id = $1 and client_id = $2 and sign_on_mode = 'OPENID_CONNECT'`,
};

type Row = Omit<Assignee, 'kind'>;

export async function findAssignee(
  db: Db,
  orgId: OrgId,
  kind: AssigneeKind,
  id: string,
): Promise<Assignee | undefined> {
  const [row] = await prepared<Row>(db, `assignee_${kind}`, SELECTED[kind], [orgId, id]);
  return row === undefined ? undefined : { ...row, kind };
}

/** For a client, this locks the row of the client's app. */
export async function findAssigneeForUpdate(
  tx: Tx,
  orgId: OrgId,
  kind: AssigneeKind,
  id: string,
): Promise<Assignee | undefined> {
  const text = `${SELECTED[kind]} for update`;
  const [row] = await prepared<Row>(tx, `assignee_${kind}_for_update`, text, [orgId, id]);
  return row === undefined ? undefined : { ...row, kind };
}

export async function findClientIdOfApp(db: Db, orgId: OrgId, appId: AppId): Promise<ClientId | undefined> {
  const text = `select client_id as "clientId" from apps
    where org_id = $1 and id = $2 and sign_on_mode = 'OPENID_CONNECT'`;
  const [row] = await prepared<{ clientId: ClientId }>(db, 'client_id_of_app', text, [orgId, appId]);
  return row?.clientId;
}

export async function countMembers(tx: Tx, orgId: OrgId, groupId: string, maximum: number): Promise<number> {
  const text = `select count(*)::integer as count from (
    select 1 from group_members where org_id = $1 and group_id = $2 limit $3) m`;
  const [row] = await run<{ count: number }>(tx, text, [orgId, groupId, maximum]);
  return row?.count ?? 0;
}

/** Returns whether a group rule or an identity provider, even an inactive one, is set to add users to the group. */
export async function isFilledByRule(tx: Tx, orgId: OrgId, groupId: string): Promise<boolean> {
  const text = `select 1 as found from group_rules where org_id = $1 and $2 = any(target_group_ids)
    union all
    select 1 from identity_providers p where p.org_id = $1
      and p.document #> '{policy,provisioning,groups,assignments}' ? $2
    limit 1`;
  return (await run(tx, text, [orgId, groupId])).length > 0;
}

export async function hasAppNamed(tx: Tx, orgId: OrgId, name: string): Promise<boolean> {
  const text = `select 1 as found from apps where org_id = $1 and document ->> 'name' = $2 limit 1`;
  return (await run(tx, text, [orgId, name])).length > 0;
}

export interface NamedApp {
  readonly id: string;
  readonly name: string;
  readonly label: string;
  readonly status: string;
}

export function findApps(db: Db, orgId: OrgId, ids: readonly string[]): Promise<NamedApp[]> {
  const text = `select id, document ->> 'name' as name, label, status from apps
    where org_id = $1 and id = any($2::text[]) order by id`;
  return run<NamedApp>(db, text, [orgId, ids]);
}
