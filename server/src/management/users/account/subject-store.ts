import { createHash } from 'node:crypto';
import { type ApiError, invalid } from '../../../kernel/errors/errors.ts';
import { loginKey, valueKey } from '../../../kernel/texts/text.ts';
import type { OrgId } from '../../../kernel/words/ids.ts';
import { foresee, foreseen, needOwnTransaction, prepared, type Tx } from '../../../platform/postgres/index.ts';

// Tokens of custom authorization servers name users by their app user names, which must not equal another user's login.
// Therefore code that assigns a login checks the names, and code that assigns a name checks the logins, both while
// holding the same locks.

const digestOf = (name: string): Buffer => createHash('sha256').update(loginKey(name)).digest();

/** Names that are equal as logins have the same hash. */
export const subjectHashOf = (name: string): string => digestOf(name).toString('base64url');

/**
 * Makes other transactions that assign one of these names wait. An org's names share 256 locks, because a large import
 * must not fill the database's lock table. The locks are taken in order, to avoid deadlocks. Needs a transaction of its
 * own, because it may wait.
 */
export async function lockNames(tx: Tx, orgId: OrgId, names: readonly string[]): Promise<void> {
  needOwnTransaction(tx);
  const buckets = [...new Set(names.map((name) => digestOf(name)[0] ?? 0))].toSorted((one, other) => one - other);
  const text = `select pg_advisory_xact_lock(hashtextextended('names ' || $1::text, bucket))
    from unnest($2::bigint[]) as bucket`;
  await prepared(tx, 'names_lock', text, [orgId, buckets]);
}

interface Login {
  readonly id: string;
  readonly login: string;
}

/**
 * Locks the logins as `lockNames` does. Returns, by user id, a 400 E0000001 error for each user whose login is not
 * free. A login is not free if it is another user's name in an OpenID Connect app or in tokens, or the id of an OAuth
 * client.
 */
export async function claimLogins(
  tx: Tx,
  orgId: OrgId,
  users: readonly Login[],
): Promise<ReadonlyMap<string, ApiError>> {
  if (users.length === 0) return new Map();
  const logins = users.map(({ login }) => login);
  const text = `select u.id, c.name_key is not null as "isClient"
    from unnest($2::text[], $3::text[], $4::text[], $5::text[]) as u (id, name_key, subject_hash, login_key)
      left join client_ids c on c.org_id = $1 and c.name_key = u.login_key
    where c.name_key is not null
      or exists (select 1 from app_users n join apps a on a.org_id = n.org_id and a.id = n.app_id
        where n.org_id = $1 and n.user_name_key = u.name_key and n.user_id <> u.id
          and a.sign_on_mode = 'OPENID_CONNECT')
      or exists (select 1 from token_subjects s
        where s.org_id = $1 and s.subject_hash = u.subject_hash and s.user_id <> u.id)`;
  const keys = [logins.map(valueKey), logins.map(subjectHashOf), logins.map(loginKey)];
  const values = [orgId, users.map(({ id }) => id), ...keys];
  const [, rows] = await Promise.all([
    lockNames(tx, orgId, logins),
    prepared<{ id: string; isClient: boolean }>(tx, 'logins_that_are_names', text, values),
  ]);
  const problem = (isClient: boolean) =>
    isClient ? 'is the id of an OAuth client.' : 'is the name of another user in an application.';
  return new Map(rows.map(({ id, isClient }) => [id, invalid('login', problem(isClient))]));
}

const foreseenLogin = ({ id, login }: Login): string => `login ${id} ${login}`;

/** Starts the claim of a login early, so that `claimLogin` need not wait for a query of its own. */
export const foreseeLogin = (tx: Tx, orgId: OrgId, user: Login): void =>
  foresee(tx, foreseenLogin(user), () => claimLogins(tx, orgId, [user]));

export async function claimLogin(tx: Tx, orgId: OrgId, user: Login): Promise<void> {
  const claims = await foreseen(tx, foreseenLogin(user), () => claimLogins(tx, orgId, [user]));
  const refused = claims.get(user.id);
  if (refused !== undefined) throw refused;
}
