import { createHash } from 'node:crypto';
import { type ApiError, invalid } from '../../../kernel/errors/errors.ts';
import { loginKey, valueKey } from '../../../kernel/texts/text.ts';
import type { OrgId } from '../../../kernel/words/ids.ts';
import {
  foresee,
  foreseen,
  isShared,
  needOwnTransaction,
  prepared,
  type Tx,
  together,
} from '../../../platform/postgres/index.ts';

// Tokens of custom authorization servers name users by their app user names, which must not equal another user's login.
// Therefore code that assigns a login checks the names, and code that assigns a name checks the logins, both while
// holding the same locks.

const digestOf = (name: string): Buffer => createHash('sha256').update(loginKey(name)).digest();

/** Names that are equal as logins have the same hash. */
export const subjectHashOf = (name: string): string => digestOf(name).toString('base64url');

const bucketsOf = (names: readonly string[]): number[] =>
  [...new Set(names.map((name) => digestOf(name)[0] ?? 0))].toSorted((one, other) => one - other);

const LOCK_KEY = `hashtextextended('names ' || $1::text, bucket)`;

/**
 * Makes other transactions that assign one of these names wait. An org's names share 256 locks, because a large import
 * must not fill the database's lock table. The locks are taken in order, to avoid deadlocks. Needs a transaction of its
 * own, because it may wait.
 */
export async function lockNames(tx: Tx, orgId: OrgId, names: readonly string[]): Promise<void> {
  needOwnTransaction(tx);
  const text = `select pg_advisory_xact_lock(${LOCK_KEY}) from unnest($2::bigint[]) as bucket`;
  await prepared(tx, 'names_lock', text, [orgId, bucketsOf(names)]);
}

interface Login {
  readonly id: string;
  readonly login: string;
}

/**
 * This statement finds logins that are another user's name in an OpenID Connect app or in tokens, or the id of an OAuth
 * client.
 */
const LOGINS_THAT_ARE_NAMES = `select u.id, c.name_key is not null as "isClient"
    from unnest($2::text[], $3::text[], $4::text[], $5::text[]) as u (id, name_key, subject_hash, login_key)
      left join client_ids c on c.org_id = $1 and c.name_key = u.login_key
    where c.name_key is not null
      or exists (select 1 from app_users n join apps a on a.org_id = n.org_id and a.id = n.app_id
        where n.org_id = $1 and n.user_name_key = u.name_key and n.user_id <> u.id
          and a.sign_on_mode = 'OPENID_CONNECT')
      or exists (select 1 from token_subjects s
        where s.org_id = $1 and s.subject_hash = u.subject_hash and s.user_id <> u.id)`;

async function findLoginsThatAreNames(
  tx: Tx,
  orgId: OrgId,
  users: readonly Login[],
): Promise<ReadonlyMap<string, ApiError>> {
  const logins = users.map(({ login }) => login);
  const keys = [logins.map(valueKey), logins.map(subjectHashOf), logins.map(loginKey)];
  const values = [orgId, users.map(({ id }) => id), ...keys];
  const rows = await prepared<{ id: string; isClient: boolean }>(
    tx,
    'logins_that_are_names',
    LOGINS_THAT_ARE_NAMES,
    values,
  );
  const problem = (isClient: boolean) =>
    isClient ? 'is the id of an OAuth client.' : 'is the name of another user in an application.';
  return new Map(rows.map(({ id, isClient }) => [id, invalid('login', problem(isClient))]));
}

/**
 * Locks the logins as `lockNames` does. Returns, by user id, a 400 E0000001 error for each login that
 * `LOGINS_THAT_ARE_NAMES` finds. This function does not check the logins of other users.
 */
export async function claimLogins(
  tx: Tx,
  orgId: OrgId,
  users: readonly Login[],
): Promise<ReadonlyMap<string, ApiError>> {
  if (users.length === 0) return new Map();
  const logins = users.map(({ login }) => login);
  const [, refused] = await Promise.all([lockNames(tx, orgId, logins), findLoginsThatAreNames(tx, orgId, users)]);
  return refused;
}

/**
 * Claims the logins of new users without waiting. A user is `free` if no other transaction holds the login's lock and
 * no user has the login. Inserting a free user therefore neither waits nor violates the unique constraint on logins.
 */
async function tryClaimLogins(tx: Tx, orgId: OrgId, users: readonly Login[]) {
  const logins = users.map(({ login }) => login);
  const lock = `select bucket::integer as bucket, pg_try_advisory_xact_lock(${LOCK_KEY}) as "isLocked"
    from unnest($2::bigint[]) as bucket`;
  // The planner must not see the length of the array (see `rowsOf` in `platform/postgres/columns.ts`).
  const find = `select login_key as "loginKey" from users
    where org_id = $1 and login_key = any((select $2::text[])::text[])`;
  const [locks, taken, refused] = await Promise.all([
    prepared<{ bucket: number; isLocked: boolean }>(tx, 'names_try_lock', lock, [orgId, bucketsOf(logins)]),
    prepared<{ loginKey: string }>(tx, 'logins_taken', find, [orgId, logins.map(loginKey)]),
    findLoginsThatAreNames(tx, orgId, users),
  ]);
  const held = new Set(locks.flatMap(({ bucket, isLocked }) => (isLocked ? [bucket] : [])));
  const takenKeys = new Set(taken.map((row) => row.loginKey));
  const isFree = ({ login }: Login) => held.has(digestOf(login)[0] ?? 0) && !takenKeys.has(loginKey(login));
  return { free: new Set(users.filter(isFree).map(({ id }) => id)), refused };
}

async function claimNewLogin(tx: Tx, orgId: OrgId, user: Login): Promise<ReadonlyMap<string, ApiError>> {
  if (!isShared(tx)) return claimLogins(tx, orgId, [user]);
  const { free, refused } = await together(tx, 'logins', user, (all, users) => tryClaimLogins(all, orgId, users));
  if (!free.has(user.id)) needOwnTransaction(tx);
  return refused;
}

const foreseenLogin = ({ id, login }: Login): string => `login ${id} ${login}`;

/** Starts the claim of a new user's login early, so that `claimLogin` need not wait for a query of its own. */
export const foreseeLogin = (tx: Tx, orgId: OrgId, user: Login): void =>
  foresee(tx, foreseenLogin(user), () => claimNewLogin(tx, orgId, user));

export async function claimLogin(tx: Tx, orgId: OrgId, user: Login): Promise<void> {
  const claims = await foreseen(tx, foreseenLogin(user), () => claimLogins(tx, orgId, [user]));
  const refused = claims.get(user.id);
  if (refused !== undefined) throw refused;
}
