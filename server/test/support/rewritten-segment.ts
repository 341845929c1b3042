import type { OrgId } from '../../src/kernel/words/ids.ts';
import type { JsonObject } from '../../src/system-log/index.ts';
import { segmentTerms } from '../../src/system-log/ledger/segments/postings/segment-terms.ts';
import { readSegment } from '../../src/system-log/ledger/segments/read-segment.ts';
import { type NewContent, rewriteSegment } from '../../src/system-log/ledger/segments/rewrite.ts';
import type { EncodedSegment } from '../../src/system-log/ledger/segments/segment.ts';
import { searchTermsOf } from '../../src/system-log/rendering/terms/search-terms.ts';
import type { LogBench } from './system-log.ts';

/** Replaces the texts of some events of a segment as a careful intruder would, with their search terms. */
export async function replaceTexts(
  bench: LogBench,
  orgId: OrgId,
  lastPosition: number,
  ordinals: readonly number[],
  change: (event: JsonObject) => JsonObject,
): Promise<void> {
  const [segment] = await bench.query<EncodedSegment>(
    `select head, published, persisted, kinds, salts, hashes, bodies, part_ends as "partEnds", postings,
       bucket_ends as "bucketEnds"
     from log_segments where org_id = $1 and last_position = $2`,
    [orgId, lastPosition],
  );
  if (segment === undefined) throw new Error('there is no such segment');
  const replacements = new Map<number, NewContent>();
  for (const [ordinal, old] of readSegment(segment).entries()) {
    if (!ordinals.includes(ordinal)) continue;
    const event = change(JSON.parse(old.body.toString()) as JsonObject);
    const { actor, eventType } = event as { actor: { id: string }; eventType: string };
    const tokens = Int32Array.from(searchTermsOf(orgId, event));
    const terms = segmentTerms(orgId, { actorId: actor.id, eventType, tokens });
    replacements.set(ordinal, { ...old, body: Buffer.from(JSON.stringify(event)), terms });
  }
  const { bodies, bucketEnds, partEnds, postings } = rewriteSegment(segment, replacements);
  await bench.query(
    `update log_segments set bodies = $3, part_ends = $4, postings = $5, bucket_ends = $6
     where org_id = $1 and last_position = $2`,
    [orgId, lastPosition, bodies, partEnds, postings, bucketEnds],
  );
}
