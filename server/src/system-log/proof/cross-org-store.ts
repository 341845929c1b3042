import { type OrgId, toOrgId } from '../../kernel/words/ids.ts';
import { type Db, run } from '../../platform/postgres/index.ts';
import type { ChainPlace } from '../relay/ledger-store.ts';

export interface MovedHead {
  readonly orgId: OrgId;
  readonly head: ChainPlace;
  readonly last: { readonly position: number; readonly createdAt: Date } | null;
}

/**
 * Cross-org: finds up to `limit` heads that have moved since their last checkpoint. Those that have waited longest come
 * first. Skips an org if its last checkpoint, or the org itself if it has no checkpoint, was created after `before`.
 * Times after `now` are ignored, because they mean that a clock was set back.
 */
export async function findMovedHeads(
  db: Db,
  { before, limit, now }: { readonly before: Date; readonly now: Date; readonly limit: number },
): Promise<MovedHead[]> {
  const rows = await run<{
    org_id: string;
    position: number;
    hash: Buffer;
    last_position: number | null;
    last_created_at: Date | null;
  }>(
    db,
    `select h.org_id, h.position, h.hash, c.position as last_position, c.created_at as last_created_at
     from log_heads h join orgs o on o.id = h.org_id
     left join lateral (
       select position, created_at from log_checkpoints where org_id = h.org_id order by position desc limit 1
     ) c on true
     where h.position > coalesce(c.position, 0)
       and not (coalesce(c.created_at, o.created_at) > $1 and coalesce(c.created_at, o.created_at) <= $2)
     order by coalesce(c.created_at, o.created_at), h.org_id limit $3::integer`,
    [before, now, limit],
  );
  return rows.map((row) => ({
    orgId: toOrgId(row.org_id),
    head: { position: row.position, hash: row.hash },
    last:
      row.last_position === null || row.last_created_at === null
        ? null
        : { position: row.last_position, createdAt: row.last_created_at },
  }));
}
