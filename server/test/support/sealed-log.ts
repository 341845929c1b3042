import type { OrgId } from '../../src/kernel/words/ids.ts';
import { decodeHead } from '../../src/system-log/ledger/segments/head.ts';
import { erasedTerms, segmentTerms } from '../../src/system-log/ledger/segments/postings/segment-terms.ts';
import { type EncodedSegment, type SegmentEvent, SegmentWriter } from '../../src/system-log/ledger/segments/segment.ts';
import { microsecondsOf } from '../../src/system-log/ledger/segments/times.ts';
import type { LogConnection } from '../../src/system-log/relay/connections.ts';
import { GENESIS_HASH } from '../../src/system-log/rendering/digest.ts';
import type { LogBench } from './system-log.ts';

// Nothing seals yet, so the tests seal by the format's own writer. They also move rows to the fresh end.

interface UnsealedRow {
  readonly position: string | number;
  readonly persisted_at: string;
  readonly published: string;
  readonly uuid: string;
  readonly event_type: string;
  readonly severity: string;
  readonly outcome_result: string | null;
  readonly actor_id: string;
  readonly tokens: readonly number[];
  readonly salt: Buffer | null;
  readonly digest: Buffer;
  readonly hash: Buffer;
  readonly erased_at: string | null;
  readonly body: string;
}

const COLUMNS = `position, persisted_at::text, published::text, uuid, event_type, severity, outcome_result, actor_id,
  tokens, salt, digest, hash, erased_at::text, body`;

function segmentEvent(orgId: OrgId, row: UnsealedRow): SegmentEvent {
  const { actor_id: actorId, body, digest, erased_at: erased, event_type: eventType, hash, salt, tokens, uuid } = row;
  const isErased = salt === null;
  return {
    position: Number(row.position),
    persistedAt: microsecondsOf(row.persisted_at),
    published: microsecondsOf(row.published),
    eventType,
    severity: row.severity,
    outcomeResult: row.outcome_result,
    body: Buffer.from(body),
    salt,
    hash,
    terms: isErased
      ? erasedTerms(orgId, eventType)
      : segmentTerms(orgId, { actorId, eventType, tokens: Int32Array.from(tokens) }),
    kept: isErased ? { uuid, digest, erasedAt: erased === null ? null : microsecondsOf(erased) } : null,
  };
}

const time = (parameter: string): string => `'epoch'::timestamptz + ${parameter}::bigint * interval '1 microsecond'`;

async function insertSegment(connection: LogConnection, orgId: OrgId, segment: EncodedSegment): Promise<void> {
  const { count, persisted, positions, published } = decodeHead(segment.head);
  const [first, last] = [positions[0], positions.at(-1)];
  if (first === undefined || last === undefined) throw new Error('a segment has events');
  await connection.query(
    `insert into log_segments (org_id, first_position, last_position, events, first_published, last_published,
       first_persisted_at, last_persisted_at, head, published, persisted, kinds, salts, hashes, bodies, part_ends,
       postings, bucket_ends)
     values ($1, $2, $3, $4, ${time('$5')}, ${time('$6')}, ${time('$7')}, ${time('$8')}, $9, $10, $11, $12, $13, $14,
       $15, $16, $17, $18)`,
    [
      orgId,
      first.first,
      last.first + last.count - 1,
      count,
      published.first,
      published.last,
      persisted.first,
      persisted.last,
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

/** Returns the table whose rows are older than those of `log_fresh`. The switch gives it another name. */
async function olderTable(connection: LogConnection): Promise<string> {
  const { rows } = await connection.query(
    `select coalesce(to_regclass('log_events'), to_regclass('log_older'))::text as name`,
  );
  const [row] = rows as readonly { name: string }[];
  if (row === undefined) throw new Error('there is no older table');
  return row.name;
}

/** Seals the next events of an org up to a position into one segment, in one transaction. */
export const seal = (bench: LogBench, orgId: OrgId, upTo: number): Promise<void> =>
  bench.connections.withConnection(async (connection) => {
    await connection.query('begin');
    const { rows } = await connection.query(
      `select ${COLUMNS} from log_unsealed where org_id = $1 and position <= $2 order by position`,
      [orgId, upTo],
    );
    const writer = new SegmentWriter(await previousHash(connection, orgId));
    for (const row of rows as readonly UnsealedRow[]) writer.add(segmentEvent(orgId, row));
    await insertSegment(connection, orgId, writer.finish());
    for (const table of [await olderTable(connection), 'log_fresh']) {
      await connection.query(`delete from ${table} where org_id = $1 and position <= $2`, [orgId, upTo]);
    }
    await connection.query('commit');
  });

/** Returns the hash to which the next segment is chained. */
async function previousHash(connection: LogConnection, orgId: OrgId): Promise<Buffer> {
  const { rows } = await connection.query(
    `select hash from (
       select last_position as position, substring(hashes from 32 * events - 31 for 32) as hash from log_segments
       where org_id = $1
       union all select position, hash from log_anchors where org_id = $1
     ) place order by position desc limit 1`,
    [orgId],
  );
  const [row] = rows as readonly { hash: Buffer }[];
  return row?.hash ?? GENESIS_HASH;
}

/** Moves the rows after a position to the fresh end. */
export const makeFresh = (bench: LogBench, orgId: OrgId, after: number): Promise<unknown> =>
  bench.query(
    `with moved as (
       delete from log_events where org_id = $1 and position > $2
       returning org_id, position, persisted_at, uuid, published, event_type, severity, actor_id, target_ids,
         outcome_result, client_ip_address, transaction_id, tokens, salt, digest, hash, erased_at, body
     )
     insert into log_fresh select * from moved`,
    [orgId, after],
  );

/** Keeps the rows of an org, whose events are not sealed. The result makes them rows of `log_events` again. */
export async function keepRows(bench: LogBench, orgId: OrgId): Promise<() => Promise<void>> {
  const kept = `kept_${orgId.toLowerCase()}`;
  await bench.query(`create table ${kept} as select * from log_events where org_id = '${orgId}'`);
  return async () => {
    for (const table of ['log_segments', 'log_events', 'log_fresh']) {
      await bench.query(`delete from ${table} where org_id = $1`, [orgId]);
    }
    await bench.query(`insert into log_events select * from ${kept}`);
  };
}

/** Brings the events of an org into several forms. `ends` are the positions at which segments end. */
export async function mixForms(
  bench: LogBench,
  orgId: OrgId,
  { ends, freshAfter }: { readonly ends: readonly number[]; readonly freshAfter: number },
): Promise<void> {
  await makeFresh(bench, orgId, freshAfter);
  for (const end of ends.toSorted((one, other) => one - other)) await seal(bench, orgId, end);
}
