import type { OrgId } from '../../../kernel/words/ids.ts';
import { decodeHead } from '../../ledger/segments/head.ts';
import type { EncodedSegment } from '../../ledger/segments/segment.ts';
import { inTransaction, type LogConnection, rowsOf } from '../../relay/connections.ts';
import type { PackedSegment } from '../packing/packer.ts';
import { type OlderTable, trySealingLock } from './unsealed-rows-store.ts';

/**
 * `changed` means that the rows are not the packed ones, so that nothing was written. `busy` means that another
 * transaction seals or erases events of the org.
 */
export type WriteOutcome = 'sealed' | 'changed' | 'busy';

interface Bounds {
  readonly first: number;
  readonly last: number;
  readonly events: number;
  readonly firstPublished: number;
  readonly lastPublished: number;
  readonly firstPersistedAt: number;
  readonly lastPersistedAt: number;
}

/** Times are in microseconds. */
function boundsOf({ head }: EncodedSegment): Bounds {
  const { count, persisted, positions, published } = decodeHead(head);
  const [first, last] = [positions[0], positions.at(-1)];
  if (first === undefined || last === undefined) throw new Error('a segment has at least one event');
  return {
    first: first.first,
    last: last.first + last.count - 1,
    events: count,
    firstPublished: published.first,
    lastPublished: published.last,
    firstPersistedAt: persisted.first,
    lastPersistedAt: persisted.last,
  };
}

const instant = (parameter: string): string => `'epoch'::timestamptz + ${parameter}::bigint * interval '1 microsecond'`;

// The fingerprint is that of `packer.ts`. A deleted row gives the values that it has under its lock. An event that was
// erased since it was packed has no salt, so its fingerprint is another one. The digest covers the body, and the hash
// covers the digest. The bounds of time spare the statement the partitions of other weeks.
const removalFrom = (table: string): string =>
  `delete from ${table} where org_id = $1 and position > $2::bigint and position <= $3::bigint
     and persisted_at >= ${instant('$4')} and persisted_at <= ${instant('$5')}
   returning position,
     int8send(position) || int8send((extract(epoch from persisted_at) * 1000000)::bigint) || hash || digest
       || coalesce(salt, ''::bytea) as print,
     salt is null or sha256(salt || convert_to(body, 'UTF8')) = digest as is_whole`;

const removal = (older: OlderTable): string => `with older as (${removalFrom(older)}),
    fresh as (${removalFrom('log_fresh')}),
    gone as (select * from older union all select * from fresh)
  select count(*)::integer as events, sha256(string_agg(print, ''::bytea order by position)) as fingerprint,
    bool_and(is_whole) as "isWhole",
    (select position from log_heads where org_id = $1) >= $3::bigint as "isBeforeHead",
    exists (select from orgs where id = $1 and status = 'ACTIVE') as "isOrgActive",
    exists (select from log_segments where org_id = $1 and last_position > $2::bigint) as "isSealed"
  from gone`;

interface Removed {
  readonly events: number;
  readonly fingerprint: Buffer | null;
  readonly isWhole: boolean | null;
  readonly isBeforeHead: boolean | null;
  readonly isOrgActive: boolean;
  readonly isSealed: boolean;
}

/** Deletes the rows of a segment. Returns false if they are not the packed ones, so that the caller must roll back. */
async function removeRows(
  connection: LogConnection,
  orgId: OrgId,
  older: OlderTable,
  after: number,
  { count, fingerprint, segment }: PackedSegment,
): Promise<boolean> {
  const { firstPersistedAt, last, lastPersistedAt } = boundsOf(segment);
  const [gone] = await rowsOf<Removed>(connection, removal(older), [
    orgId,
    after,
    last,
    firstPersistedAt,
    lastPersistedAt,
  ]);
  return (
    gone !== undefined &&
    gone.events === count &&
    gone.fingerprint?.equals(fingerprint) === true &&
    gone.isWhole === true &&
    gone.isBeforeHead === true &&
    gone.isOrgActive &&
    !gone.isSealed
  );
}

async function insertSegment(connection: LogConnection, orgId: OrgId, segment: EncodedSegment): Promise<void> {
  const bounds = boundsOf(segment);
  await connection.query(
    `insert into log_segments (org_id, first_position, last_position, events, first_published, last_published,
       first_persisted_at, last_persisted_at, head, published, persisted, kinds, salts, hashes, bodies, part_ends,
       postings, bucket_ends)
     values ($1, $2, $3, $4, ${instant('$5')}, ${instant('$6')}, ${instant('$7')}, ${instant('$8')}, $9, $10, $11, $12,
       $13, $14, $15, $16, $17, $18)`,
    [
      orgId,
      bounds.first,
      bounds.last,
      bounds.events,
      bounds.firstPublished,
      bounds.lastPublished,
      bounds.firstPersistedAt,
      bounds.lastPersistedAt,
      segment.head,
      segment.published,
      segment.persisted,
      segment.kinds,
      segment.salts,
      segment.hashes,
      segment.bodies,
      segment.partEnds,
      segment.postings,
      segment.bucketEnds,
    ],
  );
}

/**
 * Replaces the rows after a position by the segment into which they were packed, in one transaction. Verifies under the
 * locks of the deleted rows that they are the packed ones.
 */
export async function writeSegment(
  connection: LogConnection,
  orgId: OrgId,
  after: number,
  packed: PackedSegment,
): Promise<WriteOutcome> {
  const found: { older: OlderTable | null } = { older: null };
  const open = async (): Promise<boolean> => {
    found.older = await trySealingLock(connection, orgId);
    return found.older !== null;
  };
  const committed = await inTransaction(connection, open, async (last) => {
    const { older } = found;
    if (older === null || !(await removeRows(connection, orgId, older, after, packed))) return null;
    last(insertSegment(connection, orgId, packed.segment));
    return true;
  });
  if (committed === true) return 'sealed';
  return found.older === null ? 'busy' : 'changed';
}
