import { attributeSight, type Looker } from '../../../access/index.ts';
import { invalid } from '../../../kernel/errors/errors.ts';
import type { ProviderDocument } from '../documents/document-contract.ts';

/**
 * Refuses a match attribute that the caller may not see, because a match would reveal its value. The attribute that the
 * provider already uses is allowed.
 */
export function assertMatchSeen(looker: Looker, document: ProviderDocument, before: ProviderDocument | null): void {
  const { matchAttribute } = document.policy.subject;
  if (matchAttribute === null || matchAttribute === before?.policy.subject.matchAttribute) return;
  if (attributeSight(looker).shows(matchAttribute)) return;
  throw invalid('policy.subject.matchAttribute', `There is no profile attribute ${matchAttribute}.`);
}
