import { type Db, type Outdated, sweep } from '../../platform/postgres/index.ts';

const OLD_SESSIONS: Outdated = {
  table: 'sessions',
  key: { id_hash: 'bytea' },
  condition: 'expires_at < $1',
};

const OLD_TOKENS: Outdated = {
  table: 'session_tokens',
  key: { token_hash: 'bytea' },
  condition: 'expires_at < $1',
};

/**
 * Deletes up to `maximum` sessions and up to `maximum` session tokens that expired before `before`, in all orgs.
 * Returns true if there may be more.
 */
export async function dropEndedSessions(db: Db, before: Date, maximum?: number): Promise<boolean> {
  const more = [];
  for (const outdated of [OLD_SESSIONS, OLD_TOKENS]) more.push(await sweep(db, outdated, before, maximum));
  return more.includes(true);
}
