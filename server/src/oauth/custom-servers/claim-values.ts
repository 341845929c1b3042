import {
  compileExpression,
  evaluateExpression,
  type GroupFact,
  type Member,
  type Program,
  symbolsOf,
} from '../../expression/index.ts';
import type { OAuthErrorCode } from '../../kernel/errors/oauth-errors.ts';
import type { AppId, ClientId } from '../../kernel/words/ids.ts';
import type { AppUserFacts } from '../../management/app-assignments/index.ts';
import type { ServerClaim } from '../../management/authorization-servers/index.ts';
import { sizedCache } from '../../platform/caches/index.ts';
import { type ClaimUser, isAlwaysTold, standardClaim } from '../user-tokens/openid-claim-rules.ts';
import { groupNames } from './group-claim.ts';

export interface ClaimSubject {
  readonly user: ClaimUser & { readonly id: string; readonly status: string };
  /** The subject of the user's access tokens, unless a claim of the server sets a different one. */
  readonly name: string;
  /** The user's name and profile in the app; null if the user does not have the app. */
  readonly appUser: AppUserFacts | null;
  readonly groups: readonly GroupFact[];
  /** A null `id` means that no session is known. */
  readonly session: { readonly id: string | null; readonly amr: readonly string[] };
}

export interface ClaimFacts {
  readonly appId: AppId;
  readonly clientId: ClientId;
  readonly label: string;
  readonly applicationType: string;
  readonly scopes: readonly string[];
  readonly now: Date;
  /** This is absent if the client acts for itself. */
  readonly subject?: ClaimSubject;
}

export type ClaimValues =
  | { readonly subject: string; readonly claims: Readonly<Record<string, unknown>> }
  | { readonly refused: OAuthErrorCode; readonly claim: string };

/** The maximum size of the claims, set because the length of tokens is limited. */
export const MAXIMUM_CLAIMS_BYTES = 6_144;
/** The maximum size of the list of scopes, set because the length of tokens is limited. */
const MAXIMUM_SCOPES_BYTES = 3_072;

export const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** An object type with every possible member. */
const anything: Member = {
  type: { kind: 'object', member: () => ({ type: { kind: 'any' } }), presence: 'id' },
};
const symbols = symbolsOf(
  new Map(['user', 'appuser', 'idpuser', 'app', 'org', 'access', 'session'].map((name) => [name, anything])),
  ['membership', 'groupLists', 'time'],
);

/**
 * The size limit of the cache, in characters. `INSTRUCTION_SIZE` converts the size of compiled patterns to characters.
 */
const MAXIMUM_KEPT_SIZE = 1_000_000;
const INSTRUCTION_SIZE = 20;
const programs = sizedCache<Program>(MAXIMUM_KEPT_SIZE, ({ patternSize }) => patternSize * INSTRUCTION_SIZE);

function programOf(text: string): Program | null {
  const known = programs.get(text);
  if (known !== undefined) return known;
  const compiled = compileExpression(text, symbols);
  if (compiled.ok) programs.set(text, compiled.program);
  return compiled.ok ? compiled.program : null;
}

/** Converts times, even those in lists, to ISO 8601 strings. */
function wireValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(wireValue);
  if (typeof value !== 'object' || value === null || !('epochMilliseconds' in value)) return value;
  return new Date(Number(value.epochMilliseconds)).toISOString();
}

/** `user.email` and `user.profile.email` name the same attribute. */
function variablesOf(subject: ClaimSubject | undefined): Readonly<Record<string, unknown>> {
  if (subject === undefined) return { user: {}, appuser: {}, session: {} };
  const { appUser, session, user } = subject;
  const { id, login, profile, status } = user;
  return {
    user: { ...profile, id, login, status, profile: { ...profile, login } },
    appuser: appUser === null ? {} : { ...appUser.profile, id, userName: appUser.userName },
    session,
  };
}

function evaluate(text: string, facts: ClaimFacts): unknown {
  const program = programOf(text);
  if (program === null) return undefined;
  const { appId, applicationType, clientId, label, now, scopes, subject } = facts;
  const variables = {
    app: { id: appId, clientId, name: label, label, applicationType },
    access: { scope: scopes },
    idpuser: {},
    org: {},
    ...variablesOf(subject),
  };
  const evaluated = evaluateExpression(program, { variables, groups: subject?.groups ?? [], now });
  return 'value' in evaluated ? wireValue(evaluated.value) : undefined;
}

/** Returns null if the claim has no value, and undefined if it cannot be evaluated. */
function valueOf({ groupFilterType, name, value: text, valueType }: ServerClaim, facts: ClaimFacts): unknown {
  const { subject } = facts;
  if (valueType === 'EXPRESSION') return text === null ? null : evaluate(text, facts);
  if (subject === undefined) return null;
  if (valueType === 'SYSTEM') return name === 'sub' ? subject.name : (standardClaim(name, subject.user) ?? null);
  const names = groupFilterType === null || text === null ? [] : groupNames(groupFilterType, text, subject.groups);
  return names.length === 0 ? null : names;
}

export const claimsAskGroups = (claims: readonly ServerClaim[]): boolean =>
  claims.some(({ value, valueType }) =>
    valueType === 'EXPRESSION'
      ? value !== null && programOf(value)?.asks.has('groups') === true
      : valueType === 'GROUPS',
  );

const isAsked = ({ scopes }: ServerClaim, granted: readonly string[]): boolean =>
  scopes.length === 0 || scopes.some((scope) => granted.includes(scope));

/** An undefined `subject` means that no claim sets the subject. */
function valuesOf(
  claims: readonly ServerClaim[],
  facts: ClaimFacts,
): { readonly subject: string | undefined; readonly claims: Readonly<Record<string, unknown>> } | Refused {
  const values = new Map<string, unknown>();
  let subject: string | undefined;
  let length = 0;
  for (const claim of claims) {
    const { isSystem, name } = claim;
    const value = valueOf(claim, facts);
    length += value === undefined ? 0 : bytesOf(value) + bytesOf(name);
    const isSubject = name === 'sub';
    const isBad = value === undefined || length > MAXIMUM_CLAIMS_BYTES || (isSubject && typeof value !== 'string');
    // The system claim sets the subject only if there is a user.
    if (isSubject && isSystem && facts.subject === undefined) continue;
    if (isBad) return { refused: isSystem || isSubject ? 'systemClaimFailed' : 'userClaimFailed', claim: name };
    if (typeof value === 'string' && isSubject) subject = value;
    else if (value !== null) values.set(name, value);
  }
  return { subject, claims: Object.fromEntries(values) };
}

type Refused = Extract<ClaimValues, { readonly refused: unknown }>;

export function accessTokenClaims(claims: readonly ServerClaim[], facts: ClaimFacts): ClaimValues {
  const asked = claims.filter((claim) => claim.claimType === 'RESOURCE' && isAsked(claim, facts.scopes));
  const told = valuesOf(asked, facts);
  if ('refused' in told) return told;
  if (bytesOf(facts.scopes) > MAXIMUM_SCOPES_BYTES) return { refused: 'systemClaimFailed', claim: 'scp' };
  const otherwise = facts.subject === undefined ? facts.clientId : facts.subject.name;
  return { subject: told.subject ?? otherwise, claims: told.claims };
}

/**
 * Returns the identity claims except `sub`. Unless `isWhole` is set, returns only the claims that are always included.
 */
export function identityClaims(
  claims: readonly ServerClaim[],
  facts: ClaimFacts & { readonly subject: ClaimSubject },
  isWhole: boolean,
): { readonly claims: Readonly<Record<string, unknown>> } | Refused {
  const asked = claims.filter((claim) => {
    const isTold = isWhole || claim.alwaysInclude || (claim.isSystem && isAlwaysTold(claim.name));
    return claim.claimType === 'IDENTITY' && isTold && claim.name !== 'sub' && isAsked(claim, facts.scopes);
  });
  return valuesOf(asked, facts);
}
