import type { OrgId } from '../../../kernel/words/ids.ts';
import { digestOf, sealedColumns } from '../../ledger/sealed/sealed-rows.ts';
import { bodyAt, inflateBodies } from '../../ledger/segments/bodies/bodies.ts';
import { pieceOf } from '../../ledger/segments/bytes.ts';
import { HASH_BYTES, ordinalFrom, positionAt } from '../../ledger/segments/head.ts';
import { erasedTerms } from '../../ledger/segments/postings/segment-terms.ts';
import { checkedHead, kindAt, partsFor } from '../../ledger/segments/read-segment.ts';
import { type NewContent, rewriteSegment } from '../../ledger/segments/rewrite.ts';
import type { EncodedSegment } from '../../ledger/segments/segment.ts';
import type { LogConnection } from '../../relay/connections.ts';
import { waitForSealingLock } from '../turn/unsealed-rows-store.ts';
import { eraseRow, lockSegmentAt, updateSegment } from './erase-store.ts';

const NO_CONTENT = Buffer.from('{}');

function bodyOf(segment: EncodedSegment, ordinal: number, count: number): string {
  const parts = partsFor([ordinal], count).map(({ events, number, wanted }) => ({
    part: pieceOf(segment.bodies, segment.partEnds, number),
    events,
    wanted,
  }));
  return bodyAt(inflateBodies(parts), 0).toString();
}

/** Returns the ordinal and the new content of an event, or null if it is not in the segment or is already erased. */
function erasedContent(
  orgId: OrgId,
  segment: EncodedSegment,
  position: number,
  erasedAt: Date,
): readonly [ordinal: number, content: NewContent] | null {
  const head = checkedHead(segment);
  const ordinal = ordinalFrom(head, position);
  if (ordinal === head.count || positionAt(head, ordinal) !== position || head.kept.has(ordinal)) return null;
  const body = bodyOf(segment, ordinal, head.count);
  const salt = segment.salts.subarray(ordinal * HASH_BYTES, (ordinal + 1) * HASH_BYTES);
  const event = { kept: null, salt: head.saltless.has(ordinal) ? null : salt };
  const kind = kindAt(segment.kinds, ordinal, head);
  const kept = {
    uuid: sealedColumns(event, body).uuid,
    digest: digestOf(event, body),
    erasedAt: erasedAt.getTime() * 1_000,
  };
  return [ordinal, { ...kind, body: NO_CONTENT, salt: null, terms: erasedTerms(orgId, kind.eventType), kept }];
}

/**
 * Erases the content of an event, be it a row or sealed, in the caller's transaction. The event keeps its place, UUID,
 * digest, times, type, severity and outcome. The caller records the event `system.log.event.erase`. A sealed event
 * costs about as much as packing its segment, so a request must not call this.
 *
 * Returns false if there is no event at the position, or if it is already erased.
 */
export async function eraseEvent(
  connection: LogConnection,
  orgId: OrgId,
  position: number,
  erasedAt: Date,
): Promise<boolean> {
  const older = await waitForSealingLock(connection, orgId);
  // An event that was sealed before the lock was taken is not found as a row, but in its segment.
  if (await eraseRow(connection, orgId, older, position, erasedAt)) return true;
  const segment = await lockSegmentAt(connection, orgId, position);
  if (segment === null) return false;
  const content = erasedContent(orgId, segment, position, erasedAt);
  if (content === null) return false;
  await updateSegment(connection, orgId, segment.lastPosition, rewriteSegment(segment, new Map([content])));
  return true;
}
