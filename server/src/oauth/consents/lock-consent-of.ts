import type { OrgId } from '../../kernel/words/ids.ts';
import type { Tx } from '../../platform/postgres/index.ts';
import type { Interaction } from '../interactions/index.ts';
import { type ConsentMethod, type ConsentScope, consentDue } from './consent-rules.ts';
import { type ConsentParties, lockConsents } from './consent-store.ts';

/** The facts that decide whether a request has consent, read under locks. */
export interface ConsentQuestionAtIssue {
  readonly parties: ConsentParties;
  readonly consentMethod: ConsentMethod;
  readonly prompt: readonly string[];
  readonly asked: readonly string[];
  readonly scopesOfServer: readonly ConsentScope[];
  /** The decision about this request so far. Another user may have made it. */
  readonly said: Interaction['consent'];
}

/**
 * Locks the user's decisions and returns the scopes to ask for, or else the granted ones. `declined` means that the
 * user declined the request or granted none of its scopes.
 */
export async function lockConsentOf(
  tx: Tx,
  orgId: OrgId,
  { asked, consentMethod, parties, prompt, said, scopesOfServer }: ConsentQuestionAtIssue,
): Promise<'declined' | { readonly ask: readonly string[] } | { readonly given: readonly string[] }> {
  const answer = said?.userId === parties.userId ? said.decision : null;
  if (answer === 'DECLINED') return 'declined';
  const scopes = scopesOfServer.filter(({ name }) => asked.includes(name));
  const decided = await lockConsents(tx, orgId, parties);
  const due = consentDue({ prompt, consentMethod, scopes, decided, isAnswered: answer !== null });
  if (due.ask.length > 0) return { ask: due.ask.map(({ name }) => name) };
  const given = asked.filter((name) => due.granted.some((scope) => scope.name === name));
  return given.length === 0 ? 'declined' : { given };
}
