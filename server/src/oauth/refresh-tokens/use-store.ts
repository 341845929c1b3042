import type { OrgId } from '../../kernel/words/ids.ts';
import {
  assumed,
  columns,
  digestOf,
  prepared,
  sendAhead,
  sendChange,
  type Tx,
  together,
} from '../../platform/postgres/index.ts';
import { IS_ONE, type RefreshToken, type SeenRefreshToken, TYPES } from './store.ts';

/** The id and the digest of a locked token. */
type Held = Pick<SeenRefreshToken, 'id' | 'digest'>;

const lockFree = (tx: Tx, orgId: OrgId, ids: readonly string[]): Promise<Held[]> =>
  prepared<Held>(
    tx,
    'refresh_tokens_lock_free',
    `select t.id, ${digestOf('t')} as digest from refresh_tokens t where ${IS_ONE} for update skip locked`,
    [orgId, ids],
  );

/**
 * Locks a token together with those of other requests (see `together`). Returns false if the token is no longer as it
 * was read, or if another transaction has locked it.
 */
export async function lockSeenRefreshToken(tx: Tx, orgId: OrgId, { digest, id }: SeenRefreshToken): Promise<boolean> {
  const held = await together(tx, 'refresh tokens', id, (all, ids) => lockFree(all, orgId, ids));
  return held.some((token) => token.id === id && token.digest === digest);
}

/**
 * Locks a token without awaiting the result. The unit of work fails if the token is no longer as it was read (see
 * `assuming`).
 */
export function assumeRefreshToken(tx: Tx, orgId: OrgId, { digest, id }: SeenRefreshToken): void {
  // The lock returns the newest version of the row, so one statement can lock and compare.
  const text = `with held as materialized (
      select ${digestOf('t')} as digest from refresh_tokens t where t.org_id = $1 and t.id = $2 for update)
    select ${assumed('(select digest from held) = $3')}`;
  sendAhead(tx, { name: 'refresh_token_assume', text, values: [orgId, id, digest] });
}

/** The values that a use of a token reads and changes. */
export type RefreshTokenTurn = Pick<RefreshToken, 'generation' | 'rotatedAt' | 'idleExpiresAt' | 'expiresAt'>;

/** The second of two concurrent uses waits and sees the new generation. */
export async function lockRefreshToken(tx: Tx, orgId: OrgId, id: string): Promise<RefreshTokenTurn | undefined> {
  const text = `select generation, rotated_at as "rotatedAt", idle_expires_at as "idleExpiresAt",
      expires_at as "expiresAt"
    from refresh_tokens where org_id = $1 and id = $2 for update`;
  const [row] = await prepared<RefreshTokenTurn>(tx, 'refresh_token_lock', text, [orgId, id]);
  return row;
}

type Use = RefreshTokenTurn & Pick<RefreshToken, 'id' | 'lastUpdatedAt'>;

const UPDATE = columns<Use>('refresh_tokens', {
  id: 'key',
  generation: 'changes',
  rotatedAt: 'changes',
  lastUpdatedAt: 'changes',
  idleExpiresAt: 'changes',
  expiresAt: 'changes',
}).updateMany(TYPES);

const USE = `update refresh_tokens t set generation = $3, rotated_at = $4, last_updated_at = $5, idle_expires_at = $6,
    expires_at = $7
  where t.org_id = $1 and t.id = $2`;

const useValues = (orgId: OrgId, { expiresAt, generation, id, idleExpiresAt, lastUpdatedAt, rotatedAt }: Use) => [
  orgId,
  id,
  generation,
  rotatedAt,
  lastUpdatedAt,
  idleExpiresAt,
  expiresAt,
];

/** The caller must have locked the token. */
export const updateRefreshToken = (tx: Tx, orgId: OrgId, use: Use): void =>
  sendChange(tx, 'refresh_tokens_update', use, (uses) => ({
    name: 'refresh_tokens_update',
    text: UPDATE.text,
    values: UPDATE.values(orgId, uses),
  }));

/**
 * Updates a token without a lock. The unit of work fails if the token is no longer as it was read (see `assuming`). If
 * another transaction holds the token, the condition is evaluated for the newest version of the row.
 */
export function updateSeenRefreshToken(tx: Tx, orgId: OrgId, use: Use, { digest }: SeenRefreshToken): void {
  const text = `with used as (${USE} and ${digestOf('t')} = $8 returning 1)
    select ${assumed('exists (select from used)')}`;
  sendAhead(tx, { name: 'refresh_token_update_seen', text, values: [...useValues(orgId, use), digest] });
}
