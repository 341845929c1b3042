import type { OrgId } from '../../kernel/words/ids.ts';
import { findLedgerRows, type LedgerRow } from '../ledger/ledger-pages-store.ts';
import { SealedTerms } from '../ledger/sealed/sealed-terms.ts';
import { DamagedSegmentError } from '../ledger/segments/bytes.ts';
import type { Connections, LogConnection } from '../relay/connections.ts';
import { type ChainPlace, findBeyondHead, findHead, isEventBehind } from '../relay/ledger-store.ts';
import { contentFault, placeFault, segmentFault, type VerifyFault } from './check-event.ts';
import { type Checkpoint, CheckpointWatch } from './checkpoints/checkpoints.ts';
import type { StatementKeys } from './statements.ts';
import { findStart, type KeySource, readOwnCheckpoints, storedKeys } from './stored-statements.ts';

export interface VerifyReport {
  readonly ok: boolean;
  /** The position before the first event that was checked. */
  readonly start: number;
  readonly verified: number;
  /** The number of events whose content was erased. Such events count as verified. */
  readonly erased: number;
  /** The number of checkpoints with which the log agreed, including stored ones. */
  readonly checkpoints: number;
  readonly head: { readonly position: number; readonly hash: string };
  readonly fault: VerifyFault | null;
}

export interface VerifyOptions {
  /** Checkpoints that are stored outside the database. */
  readonly checkpoints?: readonly Checkpoint[];
  /** Keys that are stored outside the database. By default, the keys in the database are used. */
  readonly keys?: StatementKeys;
  readonly batchSize?: number;
  readonly onProgress?: (position: number, head: number) => void;
}

const DEFAULT_BATCH_SIZE = 1_000;
const MAXIMUM_BATCH_BYTES = 8_000_000;
const ERASURE = 'system.log.event.erase';

interface Walk {
  readonly connection: LogConnection;
  readonly orgId: OrgId;
  readonly head: ChainPlace;
  readonly watch: CheckpointWatch;
  readonly options: VerifyOptions;
  readonly terms: SealedTerms;
  place: ChainPlace;
  persistedAt: Date | null;
  verified: number;
  erased: number;
  /** The position of the first erased event after the last event about an erasure. It is null if there is none. */
  unexplained: number | null;
}

const rowsBehind = (
  { connection, orgId, terms }: Walk,
  after: number,
  upTo: number,
  limit: number,
): Promise<readonly LedgerRow[]> =>
  findLedgerRows(connection, orgId, { after, upTo, limit, maximumBytes: MAXIMUM_BATCH_BYTES }, terms);

async function rowFault(walk: Walk, row: LedgerRow): Promise<VerifyFault | null> {
  const isInOrder = row.position === walk.place.position + 1;
  const content = isInOrder
    ? (contentFault(walk.orgId, row, walk.persistedAt) ?? segmentFault(row, walk.place.hash))
    : null;
  if (content !== null) return { position: row.position, kind: 'altered', uuid: row.uuid, detail: content };
  const nextLink = async () => (await rowsBehind(walk, row.position, Number.MAX_SAFE_INTEGER, 1))[0] ?? null;
  const place = await placeFault(walk.orgId, row, walk.place, nextLink, row.sealed !== null && row.salt !== null);
  if (place !== null) return { ...place, uuid: place.kind === 'missing' ? null : row.uuid };
  return walk.watch.faultAt(row, row.uuid);
}

function pass(walk: Walk, row: LedgerRow): void {
  walk.place = { position: row.position, hash: row.hash };
  walk.persistedAt = row.persistedAt;
  walk.verified += 1;
  if (row.erasedAt !== null) {
    walk.erased += 1;
    walk.unexplained ??= row.position;
  } else if (row.eventType === ERASURE) {
    walk.unexplained = null;
  }
}

/** Checks the next events, and returns false if there are none. */
async function walkBatch(walk: Walk, start: number, isSingle: boolean): Promise<VerifyFault | boolean> {
  const limit = isSingle ? 1 : (walk.options.batchSize ?? DEFAULT_BATCH_SIZE);
  // The batches overlap by one row, so that a second row at the last position of a batch is not missed.
  const overlap = walk.place.position > start && !isSingle ? 1 : 0;
  const rows = await rowsBehind(walk, walk.place.position - overlap, walk.head.position, limit + overlap);
  const fresh = overlap === 1 && rows[0]?.position === walk.place.position ? rows.slice(1) : rows;
  for (const row of fresh) {
    const fault = await rowFault(walk, row);
    if (fault !== null) return fault;
    pass(walk, row);
  }
  return fresh.length > 0;
}

/** Returns the fault of an event whose segment cannot be read. Any other error is thrown on. */
function damageFault(error: unknown, position: number): VerifyFault {
  if (!(error instanceof DamagedSegmentError)) throw error;
  return { position, kind: 'altered', uuid: null, detail: `its segment cannot be read: ${error.message}` };
}

async function walkOn(walk: Walk): Promise<VerifyFault | null> {
  const start = walk.place.position;
  let isSingle = false;
  for (;;) {
    try {
      const result = await walkBatch(walk, start, isSingle);
      if (typeof result === 'object') return result;
      if (!result) return null;
      walk.options.onProgress?.(walk.place.position, walk.head.position);
    } catch (error) {
      const fault = damageFault(error, walk.place.position + 1);
      if (isSingle) return fault;
      // From here on, the events are read one by one, so that the fault gets its own position.
      isSingle = true;
    }
  }
}

const keysOf = ({ connection, options, orgId }: Pick<Walk, 'connection' | 'options' | 'orgId'>): KeySource => {
  const { keys } = options;
  return keys === undefined ? storedKeys(connection, orgId) : async () => keys;
};

/** If events leave the ledger during the verification, continues after their anchor. */
async function walkToHead(walk: Walk): Promise<VerifyFault | null> {
  for (;;) {
    const fault = (await walkOn(walk)) ?? endFault(walk);
    if (fault?.kind !== 'missing' && fault?.kind !== 'cut') return fault;
    const start = await findStart(walk.connection, walk.orgId, keysOf(walk));
    if (start.place.position < fault.position || start.place.position > walk.head.position) return fault;
    if (start.fault !== null) return start.fault;
    walk.place = start.place;
    walk.persistedAt = null;
    walk.unexplained = null;
  }
}

function endFault({ head, place }: Walk): VerifyFault | null {
  if (place.position < head.position) {
    return { position: place.position + 1, kind: 'cut', uuid: null, detail: `the head is at ${head.position}` };
  }
  if (place.hash.equals(head.hash)) return null;
  const detail = 'the head does not match the last event';
  return { position: head.position, kind: 'altered', uuid: null, detail };
}

async function faultBehind({ connection, head, orgId, unexplained, watch }: Walk): Promise<VerifyFault | null> {
  const beyond = await findBeyondHead(connection, orgId, head.position);
  if (beyond !== null) {
    return { position: beyond, kind: 'added', uuid: null, detail: `the head is at ${head.position}` };
  }
  const cut = watch.faultBehind(head.position);
  if (cut !== null) return cut;
  if (unexplained === null || (await isEventBehind(connection, orgId, head.position, ERASURE))) return null;
  const detail = 'the content is gone, and no event behind it says that it was erased';
  return { position: unexplained, kind: 'altered', uuid: null, detail };
}

async function behindFault(walk: Walk): Promise<VerifyFault | null> {
  try {
    return await faultBehind(walk);
  } catch (error) {
    // The log has grown behind the head, and what it grew by is sealed already.
    return damageFault(error, walk.head.position + 1);
  }
}

async function startWalk(
  connection: LogConnection,
  orgId: OrgId,
  options: VerifyOptions,
): Promise<{ readonly walk: Walk; readonly fault: VerifyFault | null }> {
  const keys = keysOf({ connection, options, orgId });
  // The order of these reads matters. Events that leave the log after the first read have a later anchor. Checkpoints
  // that are signed before the second read are at or before the head that is read last.
  const start = await findStart(connection, orgId, keys);
  const after = start.place.position - 1;
  const own = await readOwnCheckpoints(connection, orgId, { after, keys, isPartial: options.keys !== undefined });
  const head = (await findHead(connection, orgId)) ?? start.place;
  const watch = new CheckpointWatch([...own.checkpoints, ...(options.checkpoints ?? [])]);
  const walk: Walk = {
    connection,
    orgId,
    head,
    watch,
    options,
    terms: new SealedTerms(),
    place: start.place,
    persistedAt: null,
    verified: 0,
    erased: 0,
    unexplained: null,
  };
  const fault = start.fault ?? watch.faultAt(start.place, null);
  return { walk, fault: fault ?? own.fault };
}

const earlier = (one: VerifyFault | null, other: VerifyFault | null): VerifyFault | null =>
  one !== null && (other === null || one.position < other.position) ? one : other;

/**
 * Verifies an org's ledger from its last anchor or first event to the head: the chain, the content and columns of
 * events that were not erased, and the stored signatures. Reports the first fault.
 */
export function verifyOrg(connections: Connections, orgId: OrgId, options: VerifyOptions = {}): Promise<VerifyReport> {
  return connections.withConnection(async (connection) => {
    const { fault: early, walk } = await startWalk(connection, orgId, options);
    const start = walk.place.position;
    const walked = early !== null && early.position <= start ? null : await walkToHead(walk);
    const fault = earlier(early, walked) ?? (await behindFault(walk));
    return {
      ok: fault === null,
      start,
      verified: walk.verified,
      erased: walk.erased,
      checkpoints: walk.watch.passed,
      head: { position: walk.head.position, hash: walk.head.hash.toString('hex') },
      fault,
    };
  });
}
