import type { OrgId } from '../../../kernel/words/ids.ts';
import type { StoredPassword } from '../../../platform/crypto/passwords/index.ts';
import { rowsFrom, type Statement, sendChange, type Tx, textArray } from '../../../platform/postgres/index.ts';
import type { ProfileSchema } from '../../schemas/index.ts';
import { claimLogin } from '../account/subject-store.ts';
import { attributeRowsOf } from '../profile/attribute-values.ts';
import { claimUniqueValues } from '../profile/unique-values-store.ts';
import { arraysOf, indexColumnsOf, USER_COLUMN_TYPES, USERS, withKeys } from '../store.ts';
import type { UserRow } from './user-row.ts';

export interface NewUser extends UserRow {
  readonly schema: ProfileSchema;
  readonly password: StoredPassword | null;
  readonly recoveryAnswer: StoredPassword | null;
}

const jsonOrNull = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));

const ONE = USERS.insert();
const { free } = ONE.places;
const INSERT_USER = `with inserted as (${ONE.text}),
  volatile as (
    insert into user_sign_in (org_id, user_id, password, recovery_answer)
    values ($1, $2, ${free(0)}::jsonb, ${free(1)})),
  remembered as (
    insert into user_password_history (org_id, user_id, set_at, ordinal, password)
    select $1, $2, ${ONE.places.of('lastUpdatedAt')}, 1, ${free(0)}::jsonb where ${free(0)}::jsonb is not null)
  insert into user_attribute_values (org_id, attribute_id, value_key, user_id)
    select $1, a.attribute_id, a.value_key, $2
    from unnest(${free(2)}::integer[], ${free(3)}::text[]) as a (attribute_id, value_key)`;

const insertOne = (orgId: OrgId, user: NewUser): Statement => ({
  name: 'user_insert',
  text: INSERT_USER,
  values: [
    ...ONE.values(orgId, withKeys(user)),
    jsonOrNull(user.password),
    jsonOrNull(user.recoveryAnswer),
    ...arraysOf(attributeRowsOf(user, user.schema)),
  ],
});

const MANY = USERS.insertMany(USER_COLUMN_TYPES);
const typedArrays = (first: number, types: readonly string[]): string[] =>
  types.map((type, index) => `${MANY.free(first + index)}::${type}[]`);
const INSERT_USERS = `with inserted as (${MANY.text}),
  given as (
    select u.id, u.password::jsonb as password, u.answer::jsonb as answer, u.set_at::timestamptz as set_at
    from ${rowsFrom(typedArrays(0, ['text', 'text', 'text', 'text']), 'u (id, password, answer, set_at)')}),
  volatile as (
    insert into user_sign_in (org_id, user_id, password, recovery_answer)
    select $1, g.id, g.password, g.answer from given g),
  remembered as (
    insert into user_password_history (org_id, user_id, set_at, ordinal, password)
    select $1, g.id, g.set_at, 1, g.password from given g where g.password is not null)
  insert into user_attribute_values (org_id, attribute_id, value_key, user_id)
    select $1, a.attribute_id, a.value_key, a.user_id
    from ${rowsFrom(typedArrays(4, ['integer', 'text', 'text']), 'a (attribute_id, value_key, user_id)')}`;

/** Builds the statement that inserts users, their first passwords and their search index. */
function insertStatement(orgId: OrgId, users: readonly NewUser[]): Statement {
  const [first] = users;
  if (first !== undefined && users.length === 1) return insertOne(orgId, first);
  const index = users.flatMap((user) => attributeRowsOf(user, user.schema).map((row) => ({ ...row, userId: user.id })));
  const values = [
    ...MANY.values(orgId, users.map(withKeys)),
    textArray(users.map(({ id }) => id)),
    textArray(users.map(({ password }) => jsonOrNull(password))),
    textArray(users.map(({ recoveryAnswer }) => jsonOrNull(recoveryAnswer))),
    textArray(users.map(({ lastUpdatedAt }) => lastUpdatedAt.toISOString())),
    ...indexColumnsOf(index),
  ];
  return { name: 'users_insert_together', text: INSERT_USERS, values };
}

/**
 * Inserts a user after claiming the login and unique values. This function does not wait for the insert. If the insert
 * fails, for example because another user has the login, the whole unit of work fails (see `sendChange`).
 */
export async function insertUser(tx: Tx, orgId: OrgId, user: NewUser): Promise<void> {
  await claimLogin(tx, orgId, user);
  await claimUniqueValues(tx, orgId, user);
  sendChange(tx, 'users_insert', user, (users) => insertStatement(orgId, users));
}
