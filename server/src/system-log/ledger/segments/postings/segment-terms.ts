import { mergedSearchTerms, pairToken } from '../../../rendering/terms/search-terms.ts';

/**
 * Returns the search terms of an event in a segment. They include the event type and the actor's id. The ledger finds
 * these two by indexes on their columns, without a term.
 */
export const segmentTerms = (
  orgId: string,
  { actorId, eventType, tokens }: { actorId: string; eventType: string; tokens: Int32Array },
): Int32Array =>
  mergedSearchTerms([
    tokens,
    Int32Array.of(pairToken(orgId, 'eventType', eventType), pairToken(orgId, 'actor.id', actorId)),
  ]);

/** Returns the search terms of an erased event in a segment. Nothing but its type can still be found. */
export const erasedTerms = (orgId: string, eventType: string): Int32Array =>
  Int32Array.of(pairToken(orgId, 'eventType', eventType));
