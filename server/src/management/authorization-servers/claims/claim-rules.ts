import { invalid } from '../../../kernel/errors/errors.ts';
import type { Problem } from '../../../kernel/errors/problems.ts';
import { isAbsent, type Members, readChoice, readFlag, readMembers } from '../../../kernel/words/members.ts';
import { AUTHORIZATION_SERVER_STATUSES, type AuthorizationServerStatus } from '../lifecycle.ts';
import { gather, readName, readText, readTexts } from '../rules/shape-rules.ts';

/** RESOURCE claims are for access tokens. IDENTITY claims are for ID tokens and UserInfo responses. */
export const CLAIM_TYPES = ['RESOURCE', 'IDENTITY'] as const;
export type ClaimType = (typeof CLAIM_TYPES)[number];

/** The service itself computes the value of a SYSTEM claim. */
export const CLAIM_VALUE_TYPES = ['EXPRESSION', 'GROUPS', 'SYSTEM'] as const;
export type ClaimValueType = (typeof CLAIM_VALUE_TYPES)[number];

export const GROUP_FILTER_TYPES = ['STARTS_WITH', 'EQUALS', 'CONTAINS', 'REGEX'] as const;
export type GroupFilterType = (typeof GROUP_FILTER_TYPES)[number];

const MAXIMUM_VALUE_LENGTH = 1_024;
const MAXIMUM_SCOPES = 100;

export interface ClaimValues {
  readonly name: string;
  readonly status: AuthorizationServerStatus;
  readonly claimType: ClaimType;
  readonly valueType: ClaimValueType;
  readonly value: string | null;
  readonly groupFilterType: GroupFilterType | null;
  /** The claim is included only if at least one of these scopes is granted. An empty list sets no condition. */
  readonly scopes: readonly string[];
  /**
   * Whether even an ID token that is issued together with an access token contains the claim. Some system claims are in
   * these tokens anyway.
   */
  readonly alwaysInclude: boolean;
}

/**
 * The names that custom claims must not have, because tokens give them a fixed meaning (contract section 7). With one
 * of them, an administrator of one server could imitate another server or client.
 */
const RESERVED: ReadonlySet<string> = new Set(
  `iss sub aud exp nbf iat jti ver cid uid scp scope client_id azp act cnf nonce auth_time acr amr idp at_hash c_hash
   s_hash sid events token_type active`.split(/\s+/),
);

function readClaimName(value: unknown, stored: string | undefined): string {
  const name = readName(value, stored);
  if (RESERVED.has(name)) throw invalid('name', `must not be ${name}, a claim that the service itself makes.`);
  return name;
}

interface ClaimValue {
  readonly valueType: ClaimValueType;
  readonly value: string | null;
  readonly groupFilterType: GroupFilterType | null;
}

function readClaimValue(body: Members, checkValue: CheckClaimValue, stored?: Partial<ClaimValue>): ClaimValue {
  const valueType = readChoice('valueType', body['valueType'], CLAIM_VALUE_TYPES, null);
  if (valueType === 'SYSTEM')
    throw invalid('valueType', 'must not be SYSTEM, which is for the claims that every server has.');
  const value = readText('value', body['value'], MAXIMUM_VALUE_LENGTH, stored?.value);
  const filter = body['group_filter_type'];
  const filterPlace = 'group_filter_type';
  if (valueType === 'EXPRESSION' && !isAbsent(filter)) throw invalid(filterPlace, 'belongs to the valueType GROUPS.');
  const groupFilterType = valueType === 'GROUPS' ? readChoice(filterPlace, filter, GROUP_FILTER_TYPES, null) : null;
  const given = { valueType, value, groupFilterType };
  // A filter that was accepted under earlier limits is kept if it has not changed.
  if (groupFilterType !== null && groupFilterType === stored?.groupFilterType && value === stored.value) return given;
  const fault = checkValue(groupFilterType, value);
  if (fault !== null) throw invalid('value', fault);
  return given;
}

/** Describes the fault in an expression (if `filter` is null) or a group filter. */
export type CheckClaimValue = (filter: GroupFilterType | null, value: string) => Problem | null;

const scopesOf = (value: unknown): readonly string[] =>
  readTexts('conditions.scopes', readMembers('conditions', value, ['scopes'])['scopes'], MAXIMUM_SCOPES);

const readStatus = (value: unknown, otherwise: AuthorizationServerStatus): AuthorizationServerStatus =>
  readChoice('status', value, AUTHORIZATION_SERVER_STATUSES, otherwise);

/** `alwaysIncludeInToken` is always true for RESOURCE claims (OpenAPI OAuth2Claim). */
const readAlwaysInclude = (value: unknown, claimType: ClaimType): boolean =>
  readFlag('alwaysIncludeInToken', value, true) || claimType === 'RESOURCE';

export function readClaim(
  body: Members,
  checkValue: CheckClaimValue,
  before?: Pick<ClaimValues, 'name' | 'status'> & Partial<ClaimValues>,
): ClaimValues {
  const { given, ...values } = gather<Omit<ClaimValues, keyof ClaimValue> & { readonly given: ClaimValue }>({
    name: () => readClaimName(body['name'], before?.name),
    status: () => readStatus(body['status'], before?.status ?? 'ACTIVE'),
    claimType: () => readChoice('claimType', body['claimType'], CLAIM_TYPES, null),
    given: () => readClaimValue(body, checkValue, before),
    scopes: () => scopesOf(body['conditions']),
    alwaysInclude: () => readAlwaysInclude(body['alwaysIncludeInToken'], body['claimType'] as ClaimType),
  });
  return { ...values, ...given };
}

export function readSystemClaim(body: Members, before: ClaimValues): ClaimValues {
  const fixed = {
    name: before.name,
    claimType: before.claimType,
    valueType: before.valueType,
    value: before.value,
  } as const;
  for (const [name, value] of Object.entries(fixed)) {
    if (isAbsent(body[name]) || body[name] === value) continue;
    throw invalid(name, 'cannot be changed in a claim that every server has.');
  }
  return gather<ClaimValues>({
    name: () => before.name,
    status: () => readStatus(body['status'], before.status),
    claimType: () => before.claimType,
    valueType: () => before.valueType,
    value: () => before.value,
    groupFilterType: () => null,
    scopes: () => (isAbsent(body['conditions']) ? before.scopes : scopesOf(body['conditions'])),
    alwaysInclude: () => readAlwaysInclude(body['alwaysIncludeInToken'] ?? before.alwaysInclude, before.claimType),
  });
}
