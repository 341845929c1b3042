import { mergedSearchTerms, pairToken } from '../../../rendering/search-terms.ts';

/**
 * Returns the search terms under which a segment finds an event: the terms of its text (`searchTermsOf`), and two for
 * the columns of the ledger that have an index of their own and therefore no term.
 */
export const segmentTerms = (
  orgId: string,
  { actorId, eventType, tokens }: { actorId: string; eventType: string; tokens: Int32Array },
): Int32Array =>
  mergedSearchTerms([
    tokens,
    Int32Array.of(pairToken(orgId, 'eventType', eventType), pairToken(orgId, 'actor.id', actorId)),
  ]);
