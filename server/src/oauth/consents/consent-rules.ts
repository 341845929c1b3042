export type ConsentMethod = 'REQUIRED' | 'TRUSTED';

/** The members of a custom authorization server's scope that consent depends on. */
export interface ConsentScope {
  readonly id: string;
  readonly name: string;
  readonly consent: 'IMPLICIT' | 'REQUIRED' | 'FLEXIBLE';
  /** Whether the user may leave the scope out. */
  readonly isOptional: boolean;
}

export interface ConsentDecision {
  readonly scopeId: string;
  /** False means that the user left the scope out. */
  readonly isGranted: boolean;
}

export interface ConsentQuestion<Scope extends ConsentScope> {
  /** The values of `prompt`. The list is empty if the request has no such parameter. */
  readonly prompt: readonly string[];
  readonly consentMethod: ConsentMethod;
  readonly scopes: readonly Scope[];
  readonly decided: readonly ConsentDecision[];
  /** Whether the user has already answered this request, which satisfies `prompt=consent`. */
  readonly isAnswered: boolean;
}

interface ConsentRow {
  readonly prompt: 'consent' | 'other';
  readonly consentMethod: readonly ConsentMethod[];
  readonly consent: readonly ConsentScope['consent'][];
  /** `unlessDecided` asks unless the user has granted the scope, or has left it out and it is still optional. */
  readonly ask: 'always' | 'unlessDecided' | 'never';
}

/** The rows decide when a user is asked for consent (contract section 7). Each combination is in exactly one row. */
export const CONSENT_TABLE: readonly ConsentRow[] = [
  { prompt: 'consent', consentMethod: ['TRUSTED', 'REQUIRED'], consent: ['REQUIRED', 'FLEXIBLE'], ask: 'always' },
  { prompt: 'consent', consentMethod: ['TRUSTED', 'REQUIRED'], consent: ['IMPLICIT'], ask: 'never' },
  { prompt: 'other', consentMethod: ['TRUSTED'], consent: ['REQUIRED', 'FLEXIBLE', 'IMPLICIT'], ask: 'never' },
  { prompt: 'other', consentMethod: ['REQUIRED'], consent: ['REQUIRED', 'FLEXIBLE'], ask: 'unlessDecided' },
  { prompt: 'other', consentMethod: ['REQUIRED'], consent: ['IMPLICIT'], ask: 'never' },
];

type Due = 'ask' | 'granted' | 'leftOut';

function dueOf(scope: ConsentScope, question: ConsentQuestion<ConsentScope>): Due {
  const prompt = question.prompt.includes('consent') ? 'consent' : 'other';
  const row = CONSENT_TABLE.find(
    (one) =>
      one.prompt === prompt &&
      one.consentMethod.includes(question.consentMethod) &&
      one.consent.includes(scope.consent),
  );
  if (row?.ask === 'never') return 'granted';
  const decision = question.decided.find(({ scopeId }) => scopeId === scope.id);
  if (decision === undefined || (row?.ask === 'always' && !question.isAnswered)) return 'ask';
  if (decision.isGranted) return 'granted';
  // The scope may have become mandatory since the user left it out.
  return scope.isOptional ? 'leftOut' : 'ask';
}

/**
 * Splits the scopes into those to ask for and those that are granted. The user has left out any scope that is in
 * neither part.
 */
export function consentDue<Scope extends ConsentScope>(
  question: ConsentQuestion<Scope>,
): { readonly ask: readonly Scope[]; readonly granted: readonly Scope[] } {
  const of = (due: Due): readonly Scope[] => question.scopes.filter((scope) => dueOf(scope, question) === due);
  return { ask: of('ask'), granted: of('granted') };
}

/**
 * An answer that allows the request grants the optional scopes that are checked, and every mandatory one that was
 * shown.
 */
export const answersOf = (asked: readonly ConsentScope[], checked: ReadonlySet<string>): readonly ConsentDecision[] =>
  asked.map(({ id, isOptional }) => ({ scopeId: id, isGranted: !isOptional || checked.has(id) }));
