import { valueKey } from '../../../kernel/texts/text.ts';
import type { AppId, OrgId } from '../../../kernel/words/ids.ts';
import { columns, type Db, prepared, type Tx } from '../../../platform/postgres/index.ts';
import type { AppProfile } from '../profiles/profile-rules.ts';

export type Scope = 'USER' | 'GROUP';

/**
 * The stored row of an app's user. With the scope `USER`, it is the assignment; with `GROUP`, it stores only the user's
 * own values.
 */
export interface OwnAssignment {
  readonly appId: AppId;
  readonly userId: string;
  readonly scope: Scope;
  readonly status: string;
  /** Null means that the name, if any, comes from the app's template. */
  readonly userName: string | null;
  readonly sealedPassword: Buffer | null;
  readonly profile: AppProfile;
  readonly createdAt: Date;
  readonly statusChangedAt: Date;
  readonly lastUpdatedAt: Date;
  readonly passwordChangedAt: Date | null;
  readonly revision: number;
}

const USERS = columns<OwnAssignment, Omit<OwnAssignment, 'revision'> & { readonly userNameKey: string | null }>(
  'app_users',
  {
    appId: 'key',
    userId: 'key',
    scope: 'changes',
    status: 'changes',
    userName: 'changes',
    userNameKey: { is: 'changes', reads: null },
    sealedPassword: 'changes',
    profile: 'json',
    createdAt: 'changes',
    statusChangedAt: 'changes',
    lastUpdatedAt: 'changes',
    passwordChangedAt: 'changes',
    revision: 'revision',
  },
);
const COLUMNS = USERS.select();

export function findOwnAssignments(
  db: Db,
  orgId: OrgId,
  appId: AppId,
  userIds: readonly string[],
): Promise<OwnAssignment[]> {
  const text = `select ${COLUMNS} from app_users where org_id = $1 and app_id = $2 and user_id = any($3::text[])`;
  return prepared<OwnAssignment>(db, 'app_users_by_ids', text, [orgId, appId, userIds]);
}

export function findOwnAssignmentsOfUser(
  db: Db,
  orgId: OrgId,
  userId: string,
  appIds: readonly string[],
): Promise<OwnAssignment[]> {
  const text = `select ${COLUMNS} from app_users where org_id = $1 and user_id = $2 and app_id = any($3::text[])`;
  return prepared<OwnAssignment>(db, 'app_users_of_user', text, [orgId, userId, appIds]);
}

export function findOwnAssignmentsOfUsers(db: Db, orgId: OrgId, userIds: readonly string[]): Promise<OwnAssignment[]> {
  const text = `select ${COLUMNS} from app_users where org_id = $1 and user_id = any($2::text[])`;
  return prepared<OwnAssignment>(db, 'app_users_of_users', text, [orgId, userIds]);
}

const SAVE = USERS.upsert(({ of }) => ({
  valid_from: `least(clock_timestamp(), (
    select min(since) from (
      select greatest(m.valid_from, g.valid_from) as since from group_members m
        join app_groups g on g.org_id = m.org_id and g.group_id = m.group_id
        where m.org_id = $1 and m.user_id = ${of('userId')} and g.app_id = ${of('appId')}
      union all select g.valid_from from groups e join app_groups g on g.org_id = e.org_id and g.group_id = e.id
        where e.org_id = $1 and e.type = 'BUILT_IN' and g.app_id = ${of('appId')}) way))`,
}));

/** Needs the lock on the user's row. */
export async function saveOwnAssignment(tx: Tx, orgId: OrgId, own: OwnAssignment): Promise<OwnAssignment> {
  const userNameKey = own.userName === null ? null : valueKey(own.userName);
  const text = `${SAVE.text} returning revision`;
  const values = SAVE.values(orgId, { ...own, userNameKey });
  const [row] = await prepared<{ revision: number }>(tx, 'app_user_save', text, values);
  return { ...own, revision: row?.revision ?? own.revision };
}

export async function removeOwnAssignment(tx: Tx, orgId: OrgId, appId: AppId, userId: string): Promise<void> {
  const text = 'delete from app_users where org_id = $1 and app_id = $2 and user_id = $3';
  await prepared(tx, 'app_user_delete', text, [orgId, appId, userId]);
}

export async function removeOwnAssignmentsOfUser(tx: Tx, orgId: OrgId, userId: string): Promise<void> {
  const text = 'delete from app_users where org_id = $1 and user_id = $2';
  await prepared(tx, 'app_users_of_user_delete', text, [orgId, userId]);
}

export async function removeOwnAssignments(
  tx: Tx,
  orgId: OrgId,
  pairs: readonly { readonly appId: AppId; readonly userId: string }[],
): Promise<void> {
  const text = `delete from app_users d using unnest($2::text[], $3::text[]) as p (app_id, user_id)
    where d.org_id = $1 and d.app_id = p.app_id and d.user_id = p.user_id`;
  const appIds = pairs.map(({ appId }) => appId);
  const userIds = pairs.map(({ userId }) => userId);
  await prepared(tx, 'app_users_delete', text, [orgId, appIds, userIds]);
}
