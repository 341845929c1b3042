import type { ClientId } from '../../../kernel/words/ids.ts';
/** The Everyone group in a rule's `groups.include`. */
export const EVERYONE = 'EVERYONE';
/** All clients in a policy's `clients`. */
export const ALL_CLIENTS = 'ALL_CLIENTS';
/** Any scope in a rule's `scopes.include`. */
export const ANY_SCOPE = '*';

/** Included ids, except the excluded ones. */
export interface IdChoices {
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

/** Stored conditions of a rule. */
export interface ServerRuleConditions {
  readonly people: { readonly users: IdChoices; readonly groups: IdChoices };
  /** The stored form, in which no grant type carries the namespace word. */
  readonly grantTypes: { readonly include: readonly string[] };
  readonly scopes: { readonly include: readonly string[] };
}

/** Lifetimes of the tokens that a rule grants, in minutes. */
export interface TokenLifetimes {
  readonly accessTokenLifetimeMinutes: number;
  /** 0 means unlimited. */
  readonly refreshTokenLifetimeMinutes: number;
  /** Time after which an unused refresh token expires. */
  readonly refreshTokenWindowMinutes: number;
}

/** An active rule, as token requests evaluate it. */
export interface ServerRule extends TokenLifetimes {
  readonly id: string;
  readonly name: string;
  readonly conditions: ServerRuleConditions;
}

/** An active policy with its active rules in order of evaluation. */
export interface ServerPolicy {
  readonly id: string;
  readonly name: string;
  readonly clients: readonly string[];
  readonly rules: readonly ServerRule[];
}

/** Members of a token request that decide which rule applies. */
export interface PolicyRequest {
  readonly clientId: ClientId;
  /** Null when the client acts for itself. */
  readonly userId: string | null;
  /** Groups of the user; empty if there is no user. */
  readonly groupIds: readonly string[];
  /** The grant type that first obtained the tokens: a refresh token is evaluated as the grant it came from. */
  readonly grantType: string;
  /** Names of all requested scopes, or of the server's default scopes if none was requested. */
  readonly scopes: readonly string[];
}

function admitsPeople({ groups, users }: ServerRuleConditions['people'], request: PolicyRequest): boolean {
  const { groupIds, userId } = request;
  if (userId === null) return true;
  if (users.exclude.includes(userId) || groups.exclude.includes(EVERYONE)) return false;
  if (groupIds.some((id) => groups.exclude.includes(id))) return false;
  if (users.include.includes(userId) || groups.include.includes(EVERYONE)) return true;
  return groupIds.some((id) => groups.include.includes(id));
}

function admits({ conditions }: ServerRule, request: PolicyRequest): boolean {
  const { grantTypes, people, scopes } = conditions;
  if (!grantTypes.include.includes(request.grantType)) return false;
  if (!scopes.include.includes(ANY_SCOPE) && !request.scopes.every((scope) => scopes.include.includes(scope))) {
    return false;
  }
  return admitsPeople(people, request);
}

/**
 * Finds the rule that grants a request its tokens: the first matching one of the first policy that is for the client
 * and has a matching rule. Null refuses the request. Exclusion wins over inclusion; a rule that includes nobody matches
 * nobody; without a user, people are not evaluated (contract section 18).
 */
export function evaluateServerPolicies(
  policies: readonly ServerPolicy[],
  request: PolicyRequest,
): { readonly policy: ServerPolicy; readonly rule: ServerRule } | null {
  for (const policy of policies) {
    if (!policy.clients.includes(ALL_CLIENTS) && !policy.clients.includes(request.clientId)) continue;
    const rule = policy.rules.find((one) => admits(one, request));
    if (rule !== undefined) return { policy, rule };
  }
  return null;
}
