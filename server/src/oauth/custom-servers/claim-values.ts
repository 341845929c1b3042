import { LRUCache } from 'lru-cache';
import { compileExpression, evaluateExpression, type Member, type Program, symbolsOf } from '../../expression/index.ts';
import type { OAuthErrorCode } from '../../kernel/oauth-errors.ts';
import type { ServerClaim } from '../../management/authorization-servers/index.ts';

/** What the claims of a token may speak of. A client that acts for itself has no user: those attributes are null. */
export interface ClaimFacts {
  readonly clientId: string;
  readonly label: string;
  readonly applicationType: string;
  /** Names of the scopes that are granted. */
  readonly scopes: readonly string[];
  readonly now: Date;
}

export type ClaimValues =
  | { readonly subject: string; readonly claims: Readonly<Record<string, unknown>> }
  | { readonly refused: OAuthErrorCode; readonly claim: string };

/** A token is carried in a header with each request. */
const MAXIMUM_LENGTH = 6_144;

/** Whatever there is of it: what is not there is null. `id`: what each of them has that is there. */
const anything: Member = {
  type: { kind: 'object', member: () => ({ type: { kind: 'any' } }), presence: 'id' },
};
const symbols = symbolsOf(
  new Map(['user', 'appuser', 'idpuser', 'app', 'org', 'access', 'session'].map((name) => [name, anything])),
  ['membership', 'groupLists', 'time'],
);

/** Servers are loaded anew every second; their claims seldom change. Null: it is in a language we don't know. */
const programs = new LRUCache<string, { readonly program: Program | null }>({ max: 2_000 });

function programOf(text: string): Program | null {
  const known = programs.get(text);
  if (known !== undefined) return known.program;
  const compiled = compileExpression(text, symbols);
  const program = compiled.ok ? compiled.program : null;
  programs.set(text, { program });
  return program;
}

/** A point in time is written as such; everything else is JSON already. */
function wireValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(wireValue);
  if (typeof value !== 'object' || value === null || !('epochMilliseconds' in value)) return value;
  return new Date(Number(value.epochMilliseconds)).toISOString();
}

/** Undefined: it can't be calculated. */
function evaluate(text: string, facts: ClaimFacts): unknown {
  const program = programOf(text);
  if (program === null) return undefined;
  const { applicationType, clientId, label, now, scopes } = facts;
  const variables = {
    app: { id: clientId, clientId, name: label, label, applicationType },
    access: { scope: scopes },
    user: {},
    appuser: {},
    idpuser: {},
    org: {},
    session: {},
  };
  const evaluated = evaluateExpression(program, { variables, groups: [], now });
  return 'value' in evaluated ? wireValue(evaluated.value) : undefined;
}

/** Whether a claim belongs to a token with these scopes: one of its own must be granted, if it names any. */
const isAsked = ({ claimType, scopes }: ServerClaim, granted: readonly string[]): boolean =>
  claimType === 'RESOURCE' && (scopes.length === 0 || scopes.some((scope) => granted.includes(scope)));

/**
 * What a server's claims say in an access token of a client that acts for itself. What comes to null is left out,
 * groups too: they are a user's. The subject is the client's id unless the server has an expression for it. A claim
 * that can't be calculated refuses the whole token (contract: user_claim_evaluation_failure): whoever relies on it must
 * not get one without.
 */
export function claimsOfClient(claims: readonly ServerClaim[], facts: ClaimFacts): ClaimValues {
  const values = new Map<string, unknown>();
  let subject = facts.clientId;
  let length = 0;
  for (const claim of claims) {
    const { isSystem, name, value: text, valueType } = claim;
    if (!isAsked(claim, facts.scopes) || valueType !== 'EXPRESSION' || text === null) continue;
    const value = evaluate(text, facts);
    length += value === undefined ? 0 : JSON.stringify(value).length + name.length;
    const isSubject = name === 'sub';
    const isBad = value === undefined || length > MAXIMUM_LENGTH || (isSubject && typeof value !== 'string');
    if (isBad) return { refused: isSystem || isSubject ? 'systemClaimFailed' : 'userClaimFailed', claim: name };
    if (typeof value === 'string' && isSubject) subject = value;
    else if (value !== null) values.set(name, value);
  }
  return { subject, claims: Object.fromEntries(values) };
}
