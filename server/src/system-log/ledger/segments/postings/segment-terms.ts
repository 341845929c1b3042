import { mergedSearchTerms, pairToken } from '../../../rendering/search-terms.ts';

/**
 * Returns the search terms of an event in a segment. They include the values of two columns that the ledger finds by
 * indexes of their own, without a term.
 */
export const segmentTerms = (
  orgId: string,
  { actorId, eventType, tokens }: { actorId: string; eventType: string; tokens: Int32Array },
): Int32Array =>
  mergedSearchTerms([
    tokens,
    Int32Array.of(pairToken(orgId, 'eventType', eventType), pairToken(orgId, 'actor.id', actorId)),
  ]);
