import { isAbsent, type Members, readChoice, readFlag, readMembers, refused } from '../../../kernel/words/members.ts';
import { AUTHORIZATION_SERVER_STATUSES, type AuthorizationServerStatus } from '../lifecycle.ts';
import { gather, readName, readText, readTexts } from '../rules/shape-rules.ts';

/** RESOURCE: in access tokens; IDENTITY: in ID tokens. */
export const CLAIM_TYPES = ['RESOURCE', 'IDENTITY'] as const;
export type ClaimType = (typeof CLAIM_TYPES)[number];

/** SYSTEM: the service knows the value by the claim's name. */
export const CLAIM_VALUE_TYPES = ['EXPRESSION', 'GROUPS', 'SYSTEM'] as const;
export type ClaimValueType = (typeof CLAIM_VALUE_TYPES)[number];

/** How names of groups are compared with a claim's value: without case, but REGEX. */
export const GROUP_FILTER_TYPES = ['STARTS_WITH', 'EQUALS', 'CONTAINS', 'REGEX'] as const;
export type GroupFilterType = (typeof GROUP_FILTER_TYPES)[number];

const MAXIMUM_VALUE_LENGTH = 1_024;
const MAXIMUM_SCOPES = 100;

/** What people set of a claim. */
export interface ClaimValues {
  readonly name: string;
  readonly status: AuthorizationServerStatus;
  readonly claimType: ClaimType;
  readonly valueType: ClaimValueType;
  readonly value: string | null;
  readonly groupFilterType: GroupFilterType | null;
  /** Names of scopes, one of which must be granted; none: always. */
  readonly scopes: readonly string[];
  /** Of ID tokens: also in those that come together with an access token. */
  readonly alwaysInclude: boolean;
}

/**
 * What the protocol itself says in tokens: RFC 7519 4.1, RFC 9068, OpenID Connect Core 2 and 3.1.3.6, RFC 7800, and
 * what our own tokens hold (contract section 7). A claim of this name would let an administrator of one server speak
 * for another, or for another client.
 */
const RESERVED: ReadonlySet<string> = new Set(
  `iss sub aud exp nbf iat jti ver cid uid scp scope client_id azp act cnf nonce auth_time acr amr idp at_hash c_hash
   s_hash sid events token_type active`.split(/\s+/),
);

function readClaimName(value: unknown, stored: string | undefined): string {
  const name = readName(value, stored);
  if (RESERVED.has(name)) throw refused('name', `The claim ${name} is made by the service itself.`);
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
    throw refused('valueType', 'SYSTEM belongs to the claims that each server has by itself.');
  const value = readText('value', body['value'], MAXIMUM_VALUE_LENGTH, stored?.value);
  const filter = body['group_filter_type'];
  const filterPlace = 'group_filter_type';
  if (valueType === 'EXPRESSION' && !isAbsent(filter)) throw refused(filterPlace, 'belongs to GROUPS.');
  const groupFilterType = valueType === 'GROUPS' ? readChoice(filterPlace, filter, GROUP_FILTER_TYPES, null) : null;
  const given = { valueType, value, groupFilterType };
  // A filter that was taken by limits of before goes on as it is; of an expression its author is asked each time.
  if (groupFilterType !== null && groupFilterType === stored?.groupFilterType && value === stored.value) return given;
  const fault = checkValue(groupFilterType, value);
  if (fault !== null) throw refused('value', fault);
  return given;
}

/** What is wrong with an expression (no filter) or with what groups are filtered by; null: nothing. */
export type CheckClaimValue = (filter: GroupFilterType | null, value: string) => string | null;

const scopesOf = (value: unknown): readonly string[] =>
  readTexts('conditions.scopes', readMembers('conditions', value, ['scopes'])['scopes'], MAXIMUM_SCOPES);

const readStatus = (value: unknown, otherwise: AuthorizationServerStatus): AuthorizationServerStatus =>
  readChoice('status', value, AUTHORIZATION_SERVER_STATUSES, otherwise);

/** Access tokens have their claims always (OpenAPI OAuth2Claim). */
const readAlwaysInclude = (value: unknown, claimType: ClaimType): boolean =>
  readFlag('alwaysIncludeInToken', value, true) || claimType === 'RESOURCE';

/**
 * What a body says of a claim, `before` the one it replaces: its status stays where the body says nothing of it. 400
 * E0000001, one cause per fault.
 */
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

/**
 * What a body says of a claim that the server has by itself: whether it is there, and for which scopes. What else it
 * says must be as it is. 400 E0000001.
 */
export function readSystemClaim(body: Members, before: ClaimValues): ClaimValues {
  const fixed = {
    name: before.name,
    claimType: before.claimType,
    valueType: before.valueType,
    value: before.value,
  } as const;
  for (const [name, value] of Object.entries(fixed)) {
    if (isAbsent(body[name]) || body[name] === value) continue;
    throw refused(name, "This can't be changed in a claim that each server has by itself.");
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
