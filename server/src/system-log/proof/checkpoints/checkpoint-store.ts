import type { OrgId } from '../../../kernel/words/ids.ts';
import type { KeysetRequest } from '../../../platform/http/index.ts';
import { type Db, prepared, run } from '../../../platform/postgres/index.ts';

export interface StoredCheckpoint {
  readonly position: number;
  readonly hash: Buffer;
  readonly createdAt: Date;
  /** The checkpoint as a compact JWS. */
  readonly signed: string;
}

const COLUMNS = 'position, hash, created_at as "createdAt", signed';

/** Returns false if the position already has a checkpoint. */
export async function insertCheckpoint(db: Db, orgId: OrgId, checkpoint: StoredCheckpoint): Promise<boolean> {
  const text = `insert into log_checkpoints (org_id, position, hash, created_at, signed) values ($1, $2, $3, $4, $5)
    on conflict (org_id, position) do nothing returning position`;
  const { createdAt, hash, position, signed } = checkpoint;
  return (await prepared(db, 'log_checkpoint_insert', text, [orgId, position, hash, createdAt, signed])).length > 0;
}

/** A page that is read backward is oldest first. */
export function readCheckpoints(db: Db, orgId: OrgId, request: KeysetRequest<number>): Promise<StoredCheckpoint[]> {
  const beyond = request.backwards ? '>' : '<';
  const place = request.key === null ? '' : `and position ${beyond} $3::bigint`;
  const text = `select ${COLUMNS} from log_checkpoints where org_id = $1 ${place}
    order by position ${request.backwards ? 'asc' : 'desc'} limit $2::integer`;
  return run<StoredCheckpoint>(db, text, [orgId, request.rows, ...(request.key === null ? [] : [request.key])]);
}

/** Finds the newest checkpoint at or before a position, as a compact JWS. */
export async function latestCheckpoint(db: Db, orgId: OrgId, position: number): Promise<string | null> {
  const text = `select signed from log_checkpoints where org_id = $1 and position <= $2::bigint
    order by position desc limit 1`;
  const [row] = await prepared<{ signed: string }>(db, 'log_checkpoint_latest', text, [orgId, position]);
  return row?.signed ?? null;
}

/**
 * Deletes checkpoints that were created before the given time, except the last of each UTC day since the last anchor.
 */
export async function pruneCheckpoints(db: Db, orgId: OrgId, before: Date): Promise<number> {
  const text = `delete from log_checkpoints c where c.org_id = $1 and c.created_at < $2 and (
      c.position < (select max(a.position) from log_anchors a where a.org_id = $1)
      or exists (
        select from log_checkpoints later where later.org_id = $1 and later.position > c.position
          and (later.created_at at time zone 'UTC')::date = (c.created_at at time zone 'UTC')::date
      )
    ) returning 1`;
  return (await run(db, text, [orgId, before])).length;
}
