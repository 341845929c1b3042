import type { OrgId } from '../kernel/ids.ts';
import type { Connections, LogConnection } from './connections.ts';
import { bodyDigest, chainHash, GENESIS_HASH } from './digest.ts';
import {
  type ChainPlace,
  findBeyondHead,
  findHead,
  findLastAnchor,
  findLedgerRows,
  type LedgerRow,
} from './ledger-store.ts';

/**
 * `altered`: body, salt, digest or a column is not what was written. `missing`: no row at that position. `added`: a row
 * that the chain does not have. `reordered`: an unaltered event that does not belong at that position. `cut`: the
 * ledger ends before its head or before the checkpoint. `forked`: it has another event than the checkpoint says.
 */
export type FaultKind = 'altered' | 'missing' | 'added' | 'reordered' | 'cut' | 'forked';

export interface VerifyFault {
  readonly position: number;
  readonly kind: FaultKind;
  readonly detail: string;
}

export interface VerifyReport {
  readonly ok: boolean;
  /** Where verification started: the position before the first event that was checked. */
  readonly start: number;
  readonly verified: number;
  /** Events whose content was erased; their digests are in the chain, and they count as verified. */
  readonly erased: number;
  readonly head: { readonly position: number; readonly hash: string };
  /** The first fault; null when all is well. */
  readonly fault: VerifyFault | null;
}

export interface VerifyOptions {
  /** A position and hash noted earlier, outside the database: only it can tell that the tail was cut. */
  checkpoint?: ChainPlace;
  batchSize?: number;
}

const DEFAULT_BATCH_SIZE = 1_000;

/** Columns that searches rely on must say what the body says, else an event could be hidden from them. */
function columnsAgree(row: LedgerRow): boolean {
  try {
    const event = JSON.parse(row.body) as {
      uuid: string;
      published: string;
      eventType: string;
      actor: { id: string };
    };
    return (
      event.uuid === row.uuid &&
      event.published === row.published.toISOString() &&
      event.eventType === row.eventType &&
      event.actor.id === row.actorId
    );
  } catch {
    return false;
  }
}

function rowFault(orgId: OrgId, row: LedgerRow, previous: ChainPlace): VerifyFault | null {
  const { position } = row;
  const expected = previous.position + 1;
  if (position > expected) return { position: expected, kind: 'missing', detail: `the next event is at ${position}` };
  if (position < expected) return { position, kind: 'added', detail: 'two events at one position' };
  if (row.salt === null) {
    if (row.erasedAt === null) return { position, kind: 'altered', detail: 'the salt is gone, but not by erasure' };
  } else {
    if (!bodyDigest(row.salt, row.body).equals(row.digest)) {
      return { position, kind: 'altered', detail: 'the body does not match its digest' };
    }
    if (!columnsAgree(row)) return { position, kind: 'altered', detail: 'a column does not match the body' };
  }
  if (!chainHash(orgId, position, row.digest, previous.hash).equals(row.hash)) {
    return { position, kind: 'reordered', detail: 'the event does not continue the chain' };
  }
  return null;
}

interface Walk {
  place: ChainPlace;
  verified: number;
  erased: number;
  fault: VerifyFault | null;
}

function checkpointFault(row: LedgerRow, checkpoint: ChainPlace | undefined): VerifyFault | null {
  if (checkpoint?.position !== row.position || checkpoint.hash.equals(row.hash)) return null;
  return { position: row.position, kind: 'forked', detail: 'the checkpoint names another event' };
}

async function walkTo(
  connection: LogConnection,
  orgId: OrgId,
  walk: Walk,
  end: number,
  options: VerifyOptions,
): Promise<void> {
  const limit = options.batchSize ?? DEFAULT_BATCH_SIZE;
  const start = walk.place.position;
  for (;;) {
    // One row of overlap: a second row at the last position of a batch must not slip between two batches.
    const overlap = walk.place.position > start ? 1 : 0;
    const after = walk.place.position - overlap;
    const rows = await findLedgerRows(connection, orgId, { after, upTo: end, limit: limit + overlap });
    const fresh = rows.slice(overlap);
    if (fresh.length === 0) return;
    for (const row of fresh) {
      walk.fault = rowFault(orgId, row, walk.place) ?? checkpointFault(row, options.checkpoint);
      if (walk.fault !== null) return;
      walk.place = { position: row.position, hash: row.hash };
      walk.verified += 1;
      if (row.erasedAt !== null) walk.erased += 1;
    }
  }
}

async function endFault(
  connection: LogConnection,
  orgId: OrgId,
  place: ChainPlace,
  head: ChainPlace,
  checkpoint: ChainPlace | undefined,
): Promise<VerifyFault | null> {
  if (place.position < head.position) {
    return { position: place.position + 1, kind: 'cut', detail: `the head is at ${head.position}` };
  }
  if (!place.hash.equals(head.hash)) {
    return { position: head.position, kind: 'altered', detail: 'the head does not match the last event' };
  }
  const beyond = await findBeyondHead(connection, orgId, head.position);
  if (beyond !== null) return { position: beyond, kind: 'added', detail: `the head is at ${head.position}` };
  if (checkpoint !== undefined && checkpoint.position > head.position) {
    return { position: head.position + 1, kind: 'cut', detail: `the checkpoint is at ${checkpoint.position}` };
  }
  return null;
}

/**
 * Walks an org's ledger in batches from its last anchor, or from the first event, to the head as it stands at the
 * start, and recomputes every digest and hash outside the database. Reports the first fault; never throws for one.
 */
export function verifyOrg(connections: Connections, orgId: OrgId, options: VerifyOptions = {}): Promise<VerifyReport> {
  return connections.withConnection(async (connection) => {
    const genesis: ChainPlace = { position: 0, hash: GENESIS_HASH };
    const start = (await findLastAnchor(connection, orgId)) ?? genesis;
    const head = (await findHead(connection, orgId)) ?? start;
    const walk: Walk = { place: start, verified: 0, erased: 0, fault: null };
    await walkTo(connection, orgId, walk, head.position, options);
    const fault = walk.fault ?? (await endFault(connection, orgId, walk.place, head, options.checkpoint));
    return {
      ok: fault === null,
      start: start.position,
      verified: walk.verified,
      erased: walk.erased,
      head: { position: head.position, hash: head.hash.toString('hex') },
      fault,
    };
  });
}
