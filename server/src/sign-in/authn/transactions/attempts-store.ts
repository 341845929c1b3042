import type { OrgId } from '../../../kernel/words/ids.ts';
import { type Db, prepared, type Tx } from '../../../platform/postgres/index.ts';
import type { AttemptKind } from '../rules.ts';

export interface AttemptKey {
  readonly kind: AttemptKind;
  /** A SHA-256 hash, which hides the names that people try. */
  readonly hash: Buffer;
  readonly windowStart: Date;
}

export interface AttemptCount {
  readonly kind: AttemptKind;
  readonly count: number;
}

const columns = (keys: readonly AttemptKey[]) => [
  keys.map(({ kind }) => kind),
  keys.map(({ hash }) => hash),
  keys.map(({ windowStart }) => windowStart),
];

/**
 * Adds 1 to each counter, or restarts it at 1 in a new window. Returns the counts. Works in key order, so that two
 * requests never deadlock.
 */
export function addAttempts(db: Db | Tx, orgId: OrgId, keys: readonly AttemptKey[]): Promise<AttemptCount[]> {
  const text = `insert into sign_in_attempts as a (org_id, kind, key_hash, window_start, count)
      select $1, d.kind, d.key_hash, d.window_start, 1
      from unnest($2::text[], $3::bytea[], $4::timestamptz[]) as d (kind, key_hash, window_start)
      order by d.kind, d.key_hash
    on conflict (org_id, kind, key_hash) do update set
      count = case when a.window_start >= excluded.window_start then a.count + 1 else 1 end,
      window_start = greatest(a.window_start, excluded.window_start)
    returning a.kind, a.count`;
  return prepared<AttemptCount>(db, 'sign_in_attempts_add', text, [orgId, ...columns(keys)]);
}

export function findAttempts(db: Db, orgId: OrgId, keys: readonly AttemptKey[]): Promise<AttemptCount[]> {
  const text = `select a.kind, a.count
    from unnest($2::text[], $3::bytea[], $4::timestamptz[]) as d (kind, key_hash, window_start)
      join sign_in_attempts a on a.org_id = $1 and a.kind = d.kind and a.key_hash = d.key_hash
    where a.window_start >= d.window_start`;
  return prepared<AttemptCount>(db, 'sign_in_attempts_find', text, [orgId, ...columns(keys)]);
}
