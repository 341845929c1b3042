import type { ApiError } from '../../../kernel/errors/errors.ts';
import { loginKey } from '../../../kernel/texts/text.ts';
import type { OrgId } from '../../../kernel/words/ids.ts';
import { type Db, prepared, run, type Tx, textArray } from '../../../platform/postgres/index.ts';
import { claimLogins } from '../account/subject-store.ts';
import { attributeRowsOf } from '../profile/attribute-values.ts';
import { claimAllUniqueValues, hasUnique, releaseUniqueValues } from '../profile/unique-values-store.ts';
import type { NewUser } from '../records/new-user-store.ts';
import type { UserRow } from '../records/user-row.ts';
import { FROM_USERS, USER_COLUMN_TYPES, USER_COLUMNS, USERS, withKeys } from '../store.ts';

// Imports write many users at once, so each of these functions handles many users.

export function findUsersByLogins(
  db: Db,
  orgId: OrgId,
  logins: readonly string[],
  lock: 'locked' | 'unlocked',
): Promise<UserRow[]> {
  const text = `select ${USER_COLUMNS} ${FROM_USERS} where u.org_id = $1 and u.login_key = any($2::text[])
    order by u.id ${lock === 'locked' ? 'for update of u' : ''}`;
  return run<UserRow>(db, text, [orgId, textArray(logins.map(loginKey))]);
}

const instant = (date: Date | null): string | null => date?.toISOString() ?? null;

const INSERT = USERS.insertMany(USER_COLUMN_TYPES);
const INSERT_USERS = `${INSERT.text} on conflict on constraint users_login_key do nothing returning id`;

const INSERT_PARTS = `with volatile as (
    insert into user_sign_in (org_id, user_id, password)
      select $1, u.id, u.password::jsonb from unnest($2::text[], $3::text[]) as u (id, password)),
  remembered as (
    insert into user_password_history (org_id, user_id, set_at, ordinal, password)
      select $1, u.id, u.set_at::timestamptz, 1, u.password::jsonb
      from unnest($2::text[], $3::text[], $4::text[]) as u (id, password, set_at) where u.password is not null)
  insert into user_attribute_values (org_id, attribute_id, value_key, user_id)
    select $1, a.attribute_id::integer, a.value_key, a.user_id
    from unnest($5::text[], $6::text[], $7::text[]) as a (attribute_id, value_key, user_id)`;

/** The index columns are sorted by attribute, so that neighbouring rows share a page. */
function indexColumnsOf(users: readonly NewUser[]): Buffer[] {
  const byAttribute = new Map<number, { readonly keys: string[]; readonly ids: string[] }>();
  for (const user of users) {
    for (const { attributeId, valueKey } of attributeRowsOf(user, user.schema)) {
      let values = byAttribute.get(attributeId);
      if (values === undefined) byAttribute.set(attributeId, (values = { keys: [], ids: [] }));
      values.keys.push(valueKey);
      values.ids.push(user.id);
    }
  }
  const attributes = [...byAttribute].toSorted(([left], [right]) => left - right);
  const numbers = attributes.flatMap(([attributeId, { ids }]) => ids.map(() => String(attributeId)));
  const keys = attributes.flatMap(([, values]) => values.keys);
  return [numbers, keys, attributes.flatMap(([, { ids }]) => ids)].map((column) => textArray(column));
}

async function insertParts(tx: Tx, orgId: OrgId, users: readonly NewUser[]): Promise<void> {
  const passwords = users.map(({ password }) => (password === null ? null : JSON.stringify(password)));
  await prepared(tx, 'users_insert_parts', INSERT_PARTS, [
    orgId,
    textArray(users.map(({ id }) => id)),
    textArray(passwords),
    textArray(users.map(({ passwordChangedAt }) => instant(passwordChangedAt))),
    ...indexColumnsOf(users),
  ]);
}

export interface Insertion {
  readonly inserted: ReadonlySet<string>;
  /** The errors of the refused users, by user id. A user with the login of another user has no error here. */
  readonly refused: ReadonlyMap<string, ApiError>;
}

/**
 * Inserts users with their sign-in state, first password, search index and unique values. Skips users whose login or
 * unique values are taken.
 */
export async function insertUsers(tx: Tx, orgId: OrgId, users: readonly NewUser[]): Promise<Insertion> {
  const named = await claimLogins(tx, orgId, users);
  const free = users.filter(({ id }) => !named.has(id));
  const refused = new Map([...named, ...(await claimAllUniqueValues(tx, orgId, free))]);
  const inserted = await insertUnrefused(
    tx,
    orgId,
    users.filter(({ id }) => !refused.has(id)),
  );
  const absent = users.flatMap(({ id, schema }) => (inserted.has(id) || !hasUnique(schema) ? [] : [id]));
  await releaseUniqueValues(tx, orgId, absent);
  return { inserted, refused };
}

async function insertUnrefused(tx: Tx, orgId: OrgId, users: readonly NewUser[]): Promise<ReadonlySet<string>> {
  if (users.length === 0) return new Set();
  // Sorting by login avoids a deadlock between two imports of the same users.
  const keyed = users.map(withKeys).toSorted((left, right) => (left.loginKey < right.loginKey ? -1 : 1));
  const rows = await prepared<{ id: string }>(tx, 'users_insert', INSERT_USERS, INSERT.values(orgId, keyed));
  const inserted = new Set(rows.map(({ id }) => id));
  const there = users.filter(({ id }) => inserted.has(id));
  if (there.length > 0) await insertParts(tx, orgId, there);
  return inserted;
}
