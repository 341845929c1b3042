import { loginKey, NORMAL_FORM_VERSION } from '../../kernel/texts/text.ts';
import { sqlStatuses, VOIDING_STATUSES } from '../../kernel/user-statuses.ts';
import type { OrgId } from '../../kernel/words/ids.ts';
import type { StoredPassword } from '../../platform/crypto/passwords/index.ts';
import { columns, type Db, prepared, run, sendAhead, type Tx } from '../../platform/postgres/index.ts';
import type { AttributeRow } from '../../search/index.ts';
import type { ProfileSchema } from '../schemas/index.ts';
import { claimLogin } from './account/subject-store.ts';
import {
  attributeRowsOf,
  type ChangedSchemas,
  changedAttributeRows,
  SAME_PROFILE,
} from './profile/attribute-values.ts';
import { claimUniqueValues, moveUniqueValues } from './profile/unique-values-store.ts';
import type { PasswordState, UserRow } from './records/user-row.ts';

export interface NewUser extends UserRow {
  readonly schema: ProfileSchema;
  readonly password: StoredPassword | null;
  readonly recoveryAnswer: StoredPassword | null;
}

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

const arraysOf = (rows: readonly AttributeRow[]): [number[], string[]] => [
  rows.map((row) => row.attributeId),
  rows.map((row) => row.valueKey),
];

const jsonOrNull = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));

const INSERT = USERS.insert();
const { free } = INSERT.places;
const INSERT_USER = `with inserted as (${INSERT.text}),
  volatile as (
    insert into user_sign_in (org_id, user_id, password, recovery_answer)
    values ($1, $2, ${free(0)}::jsonb, ${free(1)})),
  remembered as (
    insert into user_password_history (org_id, user_id, set_at, ordinal, password)
    select $1, $2, ${INSERT.places.of('lastUpdatedAt')}, 1, ${free(0)}::jsonb where ${free(0)}::jsonb is not null)
  insert into user_attribute_values (org_id, attribute_id, value_key, user_id)
    select $1, a.attribute_id, a.value_key, $2
    from unnest(${free(2)}::integer[], ${free(3)}::text[]) as a (attribute_id, value_key)`;

/**
 * Inserts a user in one statement, after claiming the login and unique values. This function does not wait for the
 * insert. If the insert fails, for example because another user has the login, the whole unit of work fails (see
 * `sendAhead`).
 */
export async function insertUser(tx: Tx, orgId: OrgId, user: NewUser): Promise<void> {
  await claimLogin(tx, orgId, user);
  await claimUniqueValues(tx, orgId, user);
  sendAhead(tx, {
    name: 'user_insert',
    text: INSERT_USER,
    values: [
      ...INSERT.values(orgId, withKeys(user)),
      jsonOrNull(user.password),
      jsonOrNull(user.recoveryAnswer),
      ...arraysOf(attributeRowsOf(user, user.schema)),
    ],
  });
}

const VOIDING = sqlStatuses(VOIDING_STATUSES);
const UPDATE = USERS.update(({ of }) => ({
  valid_after: `case when status <> ${of('status')} and ${of('status')} in ${VOIDING}
    then clock_timestamp() else valid_after end`,
  last_deactivated_at: `case when status <> ${of('status')} and ${of('status')} = 'DEPROVISIONED'
    then clock_timestamp() else last_deactivated_at end`,
}));
const removedArrays = `${UPDATE.places.free(0)}::integer[], ${UPDATE.places.free(1)}::text[]`;
const addedArrays = `${UPDATE.places.free(2)}::integer[], ${UPDATE.places.free(3)}::text[]`;
const UPDATE_USER = `with updated as (${UPDATE.text} returning revision),
  removed as (
    delete from user_attribute_values v using unnest(${removedArrays}) as a (attribute_id, value_key)
    where v.org_id = $1 and v.user_id = $2 and v.attribute_id = a.attribute_id and v.value_key = a.value_key),
  added as (
    insert into user_attribute_values (org_id, attribute_id, value_key, user_id)
    select $1, a.attribute_id, a.value_key, $2 from unnest(${addedArrays}) as a (attribute_id, value_key)
    -- A value of an attribute that is being removed from the user's former type, under the same number.
    on conflict on constraint user_attribute_values_pkey do nothing)
  select revision from updated`;

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
  const statement = await updateStatement(tx, orgId, before, after, schemas);
  const [row] = await prepared<{ revision: number }>(tx, statement.name, statement.text, statement.values);
  return { ...after, revision: row?.revision ?? after.revision };
}

/**
 * Updates a row like `updateUser`, but does not wait for the result. The caller must have locked the row, because the
 * new revision is computed from `before`. If the update fails, the whole unit of work fails (see `sendAhead`).
 */
export async function updateLockedUser(
  tx: Tx,
  orgId: OrgId,
  before: UserRow,
  after: UserRow,
  schemas: ChangedSchemas,
): Promise<UserRow> {
  sendAhead(tx, await updateStatement(tx, orgId, before, after, schemas));
  return { ...after, revision: before.revision + 1 };
}

async function updateStatement(tx: Tx, orgId: OrgId, before: UserRow, after: UserRow, schemas: ChangedSchemas) {
  const { removed, added } = changedAttributeRows(before, after, schemas);
  if (loginKey(before.login) !== loginKey(after.login)) await claimLogin(tx, orgId, after);
  await moveUniqueValues(tx, orgId, [before, after], schemas);
  const values = [...UPDATE.values(orgId, withKeys(after)), ...arraysOf(removed), ...arraysOf(added)];
  return { name: 'user_update', text: UPDATE_USER, values };
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

export async function findPasswordState(
  db: Db,
  orgId: OrgId,
  userId: string,
  historyCount: number,
): Promise<PasswordState> {
  const text = `select s.password as current, s.failed_attempts as "failedAttempts",
      coalesce(h.entries, '[]') as history, coalesce(h.ordinal, 0) as ordinal
    from user_sign_in s left join lateral (
      select jsonb_agg(e.password order by e.ordinal desc) as entries, max(e.ordinal) as ordinal
      from (select password, ordinal from user_password_history where org_id = $1 and user_id = $2
            order by ordinal desc limit $3) e) h on true
    where s.org_id = $1 and s.user_id = $2`;
  const [row] = await prepared<PasswordState>(db, 'user_password_state', text, [
    orgId,
    userId,
    Math.max(1, historyCount),
  ]);
  return row ?? { current: null, history: [], ordinal: 0, failedAttempts: 0 };
}

interface PasswordStoring {
  readonly historyCount: number;
  /** Whether sessions and OAuth tokens that were issued under the former password stay valid. */
  readonly keepsSessions: boolean;
}

/**
 * Stores a new password and adds it to the history, which keeps the newest `historyCount` entries, but at least one.
 * Resets failed attempts and blocks, and voids recovery tokens.
 */
export async function storePassword(
  tx: Tx,
  orgId: OrgId,
  userId: string,
  password: StoredPassword,
  now: Date,
  { historyCount, keepsSessions }: PasswordStoring,
): Promise<void> {
  const text = `with stored as (
      update user_sign_in set password = $3, failed_attempts = 0, last_failed_at = null, locked_at = null,
        unknown_device_failures = 0, unknown_devices_blocked_at = null
      where org_id = $1 and user_id = $2),
    voided as (delete from user_recovery_tokens where org_id = $1 and user_id = $2),
    marked as (update users set valid_after = clock_timestamp() where org_id = $1 and id = $2 and not $6::boolean),
    newest as (
      select coalesce(max(ordinal), 0) as ordinal from user_password_history where org_id = $1 and user_id = $2),
    forgotten as (
      delete from user_password_history h using newest
      where h.org_id = $1 and h.user_id = $2 and h.ordinal <= newest.ordinal + 1 - $5::bigint)
    insert into user_password_history (org_id, user_id, set_at, ordinal, password)
      select $1, $2, $4, ordinal + 1, $3 from newest`;
  await prepared(tx, 'user_password_store', text, [
    orgId,
    userId,
    JSON.stringify(password),
    now,
    Math.max(1, historyCount),
    keepsSessions,
  ]);
}

/** Removes the password and voids sessions and OAuth tokens. */
export async function wipePassword(tx: Tx, orgId: OrgId, userId: string): Promise<void> {
  const text = `with wiped as (update user_sign_in set password = null where org_id = $1 and user_id = $2)
    update users set valid_after = clock_timestamp() where org_id = $1 and id = $2`;
  await prepared(tx, 'user_password_wipe', text, [orgId, userId]);
}

/**
 * Deletes the password, its history and the recovery answer, as deactivation requires (contract section 4). Also resets
 * failed attempts and blocks.
 */
export async function wipeCredentials(tx: Tx, orgId: OrgId, userId: string): Promise<void> {
  const volatile = `update user_sign_in
    set password = null, recovery_answer = null, failed_attempts = 0, locked_at = null,
      unknown_device_failures = 0, unknown_devices_blocked_at = null
    where org_id = $1 and user_id = $2`;
  await prepared(tx, 'user_credentials_wipe', volatile, [orgId, userId]);
  const history = 'delete from user_password_history where org_id = $1 and user_id = $2';
  await prepared(tx, 'user_password_history_delete', history, [orgId, userId]);
}

/**
 * Voids the sessions, authorization codes and OAuth tokens that were issued to the user before now, by the database's
 * clock. API tokens stay valid.
 */
export async function voidCredentials(tx: Tx, orgId: OrgId, userId: string): Promise<void> {
  const text = 'update users set valid_after = clock_timestamp() where org_id = $1 and id = $2';
  await prepared(tx, 'user_valid_after', text, [orgId, userId]);
}
