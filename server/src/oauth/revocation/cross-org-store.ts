import { type Db, type Outdated, sweep } from '../../platform/postgres/index.ts';

const OLD_REVOCATIONS: Outdated = {
  table: 'revoked_tokens',
  key: { jti_hash: 'bytea' },
  condition: 'expires_at < $1',
};

const OLD_KEYS: Outdated = {
  table: 'signing_keys',
  key: { kid: 'text' },
  condition: 'expires_at < $1',
};

/**
 * Deletes expired revocations and signing keys of all orgs, at most `maximum` of each kind. Returns true if more may
 * exist.
 */
export async function dropSpentTokens(db: Db, before: Date, maximum?: number): Promise<boolean> {
  const more = [];
  for (const outdated of [OLD_REVOCATIONS, OLD_KEYS]) more.push(await sweep(db, outdated, before, maximum));
  return more.includes(true);
}
