import { loginKey, NORMAL_FORM_VERSION } from '../../kernel/texts/text.ts';
import { sqlStatuses, VOIDING_STATUSES } from '../../kernel/user-statuses.ts';
import type { OrgId } from '../../kernel/words/ids.ts';
import {
  CLOCK,
  columns,
  type Db,
  prepared,
  rowsFrom,
  run,
  type Statement,
  sendChange,
  type Tx,
  textArray,
} from '../../platform/postgres/index.ts';
import type { AttributeRow } from '../../search/index.ts';
import { claimLogin } from './account/subject-store.ts';
import { type ChangedSchemas, changedAttributeRows, SAME_PROFILE } from './profile/attribute-values.ts';
import { moveUniqueValues } from './profile/unique-values-store.ts';
import type { UserRow } from './records/user-row.ts';

interface LoginKeys {
  readonly loginKey: string;
  readonly shortLoginKey: string;
  readonly normalFormVersion: number;
}

export const USERS = columns<UserRow, UserRow & LoginKeys>('users', {
  id: 'key',
  typeId: 'changes',
  status: 'changes',
  statusBeforeSuspension: 'changes',
  login: 'changes',
  loginKey: { is: 'changes', reads: null },
  shortLoginKey: { is: 'changes', reads: null },
  normalFormVersion: { is: 'changes', reads: null },
  profile: 'json',
  providerType: 'changes',
  providerName: 'changes',
  hasPassword: 'changes',
  recoveryQuestion: 'changes',
  createdAt: 'fixed',
  activatedAt: 'changes',
  statusChangedAt: 'changes',
  lastUpdatedAt: 'changes',
  passwordChangedAt: 'changes',
  revision: 'revision',
  lastLoginAt: { is: 'read', reads: 's.last_login_at' },
  unprovedEmail: 'changes',
});

export const USER_COLUMN_TYPES = {
  normalFormVersion: 'integer',
  hasPassword: 'boolean',
  createdAt: 'timestamptz',
  activatedAt: 'timestamptz',
  statusChangedAt: 'timestamptz',
  lastUpdatedAt: 'timestamptz',
  passwordChangedAt: 'timestamptz',
} as const;

export const USER_COLUMNS = USERS.select('u');
export const FROM_USERS = `from users u left join user_sign_in s on s.org_id = u.org_id and s.user_id = u.id`;

export const withKeys = <Row extends UserRow>(user: Row): Row & LoginKeys => {
  const key = loginKey(user.login);
  return { ...user, loginKey: key, shortLoginKey: key.split('@')[0] ?? '', normalFormVersion: NORMAL_FORM_VERSION };
};

export async function findUserById(db: Db, orgId: OrgId, userId: string): Promise<UserRow | undefined> {
  const text = `select ${USER_COLUMNS} ${FROM_USERS} where u.org_id = $1 and u.id = $2`;
  const [row] = await prepared<UserRow>(db, 'user_by_id', text, [orgId, userId]);
  return row;
}

export function findUsersByIds(db: Db, orgId: OrgId, userIds: readonly string[]): Promise<UserRow[]> {
  const text = `select ${USER_COLUMNS} ${FROM_USERS} where u.org_id = $1 and u.id = any($2::text[]) order by u.id`;
  return run<UserRow>(db, text, [orgId, userIds]);
}

/** Finds a user's id by login, or by short login (the part before `@`) if only one user has it. */
export async function findUserIdByLogin(db: Db, orgId: OrgId, login: string): Promise<string | undefined> {
  const byLogin = 'select id from users where org_id = $1 and login_key = $2';
  const [exact] = await prepared<{ id: string }>(db, 'user_id_by_login', byLogin, [orgId, loginKey(login)]);
  if (exact !== undefined || login.includes('@')) return exact?.id;
  const byShort = 'select id from users where org_id = $1 and short_login_key = $2 limit 2';
  const rows = await prepared<{ id: string }>(db, 'user_id_by_short_login', byShort, [orgId, loginKey(login)]);
  return rows.length === 1 ? rows[0]?.id : undefined;
}

export const arraysOf = (rows: readonly AttributeRow[]): [number[], string[]] => [
  rows.map((row) => row.attributeId),
  rows.map((row) => row.valueKey),
];

const VOIDING = sqlStatuses(VOIDING_STATUSES);
const timesAfter = (stored: 't.' | '', status: string) => ({
  valid_after: `case when ${stored}status <> ${status} and ${status} in ${VOIDING}
    then clock.now else ${stored}valid_after end`,
  last_deactivated_at: `case when ${stored}status <> ${status} and ${status} = 'DEPROVISIONED'
    then clock.now else ${stored}last_deactivated_at end`,
});

const UPDATE = USERS.updateMany(USER_COLUMN_TYPES, timesAfter('t.', 'r.status'));
const indexRows = (first: number): string =>
  rowsFrom(
    [`${UPDATE.free(first)}::integer[]`, `${UPDATE.free(first + 1)}::text[]`, `${UPDATE.free(first + 2)}::text[]`],
    'a (attribute_id, value_key, user_id)',
  );
const UPDATE_USERS = `with updated as (${UPDATE.text} returning t.revision),
  removed as (
    delete from user_attribute_values v using ${indexRows(0)}
    where v.org_id = $1 and v.attribute_id = a.attribute_id and v.value_key = a.value_key and v.user_id = a.user_id),
  added as (
    insert into user_attribute_values (org_id, attribute_id, value_key, user_id)
    select $1, a.attribute_id, a.value_key, a.user_id
    from ${indexRows(3)}
    -- A value of an attribute that is being removed from the user's former type, under the same number.
    on conflict on constraint user_attribute_values_pkey do nothing)
  select revision from updated`;

// A statement for one user finds its row by the index. The plan for arrays can scan the whole of a small table.
const UPDATE_ONE = USERS.update(({ of }) => timesAfter('', of('status')));
const { free: freeOfOne } = UPDATE_ONE.places;
const UPDATE_USER = `with updated as (${UPDATE_ONE.text} returning revision),
  removed as (
    delete from user_attribute_values v
    using unnest(${freeOfOne(0)}::integer[], ${freeOfOne(1)}::text[]) as a (attribute_id, value_key)
    where v.org_id = $1 and v.user_id = $2 and v.attribute_id = a.attribute_id and v.value_key = a.value_key),
  added as (
    insert into user_attribute_values (org_id, attribute_id, value_key, user_id)
    select $1, a.attribute_id, a.value_key, $2
    from unnest(${freeOfOne(2)}::integer[], ${freeOfOne(3)}::text[]) as a (attribute_id, value_key)
    on conflict on constraint user_attribute_values_pkey do nothing)
  select revision from updated`;

/** A changed user, with the rows that leave and enter the search index. */
interface UserChange {
  readonly after: UserRow;
  readonly removed: readonly AttributeRow[];
  readonly added: readonly AttributeRow[];
}

/** Returns the search index rows of users, as one array per column. */
export const indexColumnsOf = (rows: readonly (AttributeRow & { readonly userId: string })[]): unknown[] => [
  rows.map(({ attributeId }) => attributeId),
  textArray(rows.map(({ valueKey }) => valueKey)),
  textArray(rows.map(({ userId }) => userId)),
];

type UpdateStatement = Statement & { readonly name: string };

const updateOne = (orgId: OrgId, { added, after, removed }: UserChange): UpdateStatement => ({
  name: 'user_update',
  text: UPDATE_USER,
  values: [...UPDATE_ONE.values(orgId, withKeys(after)), ...arraysOf(removed), ...arraysOf(added)],
});

/** Builds the statement that updates users and their search index. Each user must occur only once. */
function updateStatement(orgId: OrgId, changes: readonly UserChange[]): UpdateStatement {
  const [first] = changes;
  if (first !== undefined && changes.length === 1) return updateOne(orgId, first);
  const rows = UPDATE.values(
    orgId,
    changes.map(({ after }) => withKeys(after)),
  );
  const index = (which: 'removed' | 'added') =>
    indexColumnsOf(
      changes.flatMap(({ after: { id }, [which]: changed }) => changed.map((row) => ({ ...row, userId: id }))),
    );
  return { name: 'users_update', text: UPDATE_USERS, values: [...rows, ...index('removed'), ...index('added')] };
}

/**
 * Writes the row, raises its revision, and updates the search index. Call this only when a column that clients see has
 * changed, because the entity tag comes from the revision. A change to a status that voids sessions and OAuth tokens
 * sets `valid_after`. Callers that change the profile or the type pass the schemas.
 */
export async function updateUser(
  tx: Tx,
  orgId: OrgId,
  before: UserRow,
  after: UserRow,
  schemas: ChangedSchemas = SAME_PROFILE,
): Promise<UserRow> {
  const change = await claimedChange(tx, orgId, before, after, schemas);
  const statement = updateOne(orgId, change);
  const [row] = await prepared<{ revision: number }>(tx, statement.name, statement.text, statement.values);
  return { ...after, revision: row?.revision ?? after.revision };
}

/**
 * Updates a row like `updateUser`, but does not wait for the result. The caller must have locked the row, because the
 * new revision is computed from `before`. If the update fails, the whole unit of work fails (see `sendChange`).
 */
export async function updateLockedUser(
  tx: Tx,
  orgId: OrgId,
  before: UserRow,
  after: UserRow,
  schemas: ChangedSchemas,
): Promise<UserRow> {
  const change = await claimedChange(tx, orgId, before, after, schemas);
  sendChange(tx, 'users_update', change, (changes) => updateStatement(orgId, changes));
  return { ...after, revision: before.revision + 1 };
}

/** Claims a new login and new unique values of a user, and returns the change. */
async function claimedChange(
  tx: Tx,
  orgId: OrgId,
  before: UserRow,
  after: UserRow,
  schemas: ChangedSchemas,
): Promise<UserChange> {
  if (loginKey(before.login) !== loginKey(after.login)) await claimLogin(tx, orgId, after);
  await moveUniqueValues(tx, orgId, [before, after], schemas);
  return { after, ...changedAttributeRows(before, after, schemas) };
}

/** Records that the user verified the address, if it is still the user's unverified address. */
export async function noteProvedEmail(tx: Tx, orgId: OrgId, userId: string, email: string): Promise<void> {
  const text = `update users set unproved_email = null, revision = revision + 1
    where org_id = $1 and id = $2 and unproved_email = $3`;
  await prepared(tx, 'user_email_proved', text, [orgId, userId, email]);
}

/** Foreign keys remove most of a user's data. The search index and the unique values have no such keys. */
export async function removeUser(tx: Tx, orgId: OrgId, userId: string): Promise<void> {
  const unique = 'delete from user_unique_values where org_id = $1 and user_id = $2';
  await prepared(tx, 'user_unique_values_delete', unique, [orgId, userId]);
  const index = 'delete from user_attribute_values where org_id = $1 and user_id = $2';
  await prepared(tx, 'user_attribute_values_delete', index, [orgId, userId]);
  await prepared(tx, 'user_delete', 'delete from users where org_id = $1 and id = $2', [orgId, userId]);
}

/**
 * Voids the sessions, authorization codes and OAuth tokens that were issued to the user before now, by the database's
 * clock. API tokens stay valid.
 */
export async function voidCredentials(tx: Tx, orgId: OrgId, userId: string): Promise<void> {
  const text = `update users set valid_after = clock.now from ${CLOCK} where org_id = $1 and id = $2`;
  await prepared(tx, 'user_valid_after', text, [orgId, userId]);
}
