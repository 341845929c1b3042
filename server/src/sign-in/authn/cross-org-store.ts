import { type Db, type Outdated, sweep } from '../../platform/postgres/index.ts';

const OLD_TRANSACTIONS: Outdated = {
  table: 'authentication_transactions',
  key: { token_hash: 'bytea' },
  condition: 'expires_at < $1',
};

const OLD_ATTEMPTS: Outdated = {
  table: 'sign_in_attempts',
  key: { kind: 'text', key_hash: 'bytea' },
  condition: 'window_start < $1',
};

/** Deletes expired sign-ins and outdated counters of all orgs. Returns true if there may be more. */
export async function dropOldSignInRows(db: Db, before: Date, maximum?: number): Promise<boolean> {
  const more = [];
  for (const outdated of [OLD_TRANSACTIONS, OLD_ATTEMPTS]) more.push(await sweep(db, outdated, before, maximum));
  return more.includes(true);
}
