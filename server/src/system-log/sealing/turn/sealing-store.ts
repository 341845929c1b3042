import type { OrgId } from '../../../kernel/words/ids.ts';
import type { SealedRange } from '../../ledger/sealed/sealed-range.ts';
import { type LogConnection, rowsOf } from '../../relay/connections.ts';
import type { ChainPlace } from '../../relay/ledger-store.ts';
import { GENESIS_HASH } from '../../rendering/digest.ts';
import type { ChainEnd, UnsealedRow } from '../packing/unsealed-row.ts';

export interface SealingStart {
  /** The last event that is sealed or has left the ledger. */
  readonly end: ChainEnd;
  readonly head: ChainPlace;
}

interface StoredStart {
  readonly head: string | number;
  readonly headHash: Buffer;
  readonly position: string | number | null;
  readonly hash: Buffer | null;
  readonly persistedAt: string | null;
}

/** Finds the place from which an org's events are sealed. Returns null if the org has no log. */
export async function findStart(connection: LogConnection, orgId: OrgId): Promise<SealingStart | null> {
  const [row] = await rowsOf<StoredStart>(
    connection,
    `select head.position as head, head.hash as "headHash", place.position, place.hash,
       place.persisted_at::text as "persistedAt"
     from log_heads head left join lateral (
       select position, hash, persisted_at from (
         (select last_position as position, substring(hashes from octet_length(hashes) - 31 for 32) as hash,
            last_persisted_at as persisted_at
          from log_segments where org_id = $1 order by last_position desc limit 1)
         union all
         (select position, hash, null from log_anchors where org_id = $1 order by position desc limit 1)
       ) ends order by position desc limit 1
     ) place on true
     where head.org_id = $1`,
    [orgId],
  );
  if (row === undefined) return null;
  const { hash, persistedAt, position } = row;
  return {
    head: { position: Number(row.head), hash: row.headHash },
    end:
      position === null || hash === null
        ? { position: 0, hash: GENESIS_HASH, persistedAt: null }
        : { position: Number(position), hash, persistedAt },
  };
}

/** Tests whether an org is neither deleted nor about to be deleted. */
export async function isOrgActive(connection: LogConnection, orgId: OrgId): Promise<boolean> {
  const [row] = await rowsOf<{ isActive: boolean }>(
    connection,
    `select exists (select from orgs where id = $1 and status = 'ACTIVE') as "isActive"`,
    [orgId],
  );
  return row?.isActive === true;
}

/** Reads events that are not sealed, in order of position. Two of them may have one position after tampering. */
export async function readUnsealedRows(
  connection: LogConnection,
  orgId: OrgId,
  { after, limit, maximumBytes, upTo }: SealedRange,
): Promise<UnsealedRow[]> {
  const rows = await rowsOf<Omit<UnsealedRow, 'position'> & { position: string | number }>(
    connection,
    `select position, persisted_at::text as "persistedAt", published::text as published, uuid,
       event_type as "eventType", severity, actor_id as "actorId", target_ids as "targetIds",
       outcome_result as "outcomeResult", client_ip_address as "clientIpAddress", transaction_id as "transactionId",
       tokens::text as tokens, salt, digest, hash, erased_at::text as "erasedAt", body
     from (
       select *, sum(octet_length(body)) over (order by position) - octet_length(body) as bytes_before
       from (
         select * from log_unsealed where org_id = $1 and position > $2::bigint and position <= $3::bigint
         order by position limit $4::integer
       ) read
     ) page where bytes_before < $5::bigint order by position`,
    [orgId, after, upTo, limit, maximumBytes],
  );
  return rows.map((row) => ({ ...row, position: Number(row.position) }));
}
