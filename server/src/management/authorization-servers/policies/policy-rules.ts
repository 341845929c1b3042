import type { ClientId } from '../../../kernel/words/ids.ts';
/** The word for the Everyone group in a rule's `groups.include`. */
export const EVERYONE = 'EVERYONE';
/** The word for all clients in a policy's `clients`. */
export const ALL_CLIENTS = 'ALL_CLIENTS';
/** The word for any scope in a rule's `scopes.include`. */
export const ANY_SCOPE = '*';

/** An excluded id does not match, even if it is also included. */
export interface IdChoices {
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

/** The stored conditions of a rule. */
export interface ServerRuleConditions {
  readonly people: { readonly users: IdChoices; readonly groups: IdChoices };
  /** Grant types in their stored form, which never contains the namespace word. */
  readonly grantTypes: { readonly include: readonly string[] };
  readonly scopes: { readonly include: readonly string[] };
}

/** The lifetimes, in minutes, of the tokens that a rule grants. */
export interface TokenLifetimes {
  readonly accessTokenLifetimeMinutes: number;
  /** 0 means unlimited. */
  readonly refreshTokenLifetimeMinutes: number;
  /** The time after which an unused refresh token expires. */
  readonly refreshTokenWindowMinutes: number;
}

/** An active rule in the form that token requests evaluate. */
export interface ServerRule extends TokenLifetimes {
  readonly id: string;
  readonly name: string;
  readonly conditions: ServerRuleConditions;
}

/** An active policy and its active rules, in order of evaluation. */
export interface ServerPolicy {
  readonly id: string;
  readonly name: string;
  readonly clients: readonly string[];
  readonly rules: readonly ServerRule[];
}

/** The members of a token request that decide which rule applies. */
export interface PolicyRequest {
  readonly clientId: ClientId;
  /** Null if the client requests a token for itself. */
  readonly userId: string | null;
  /** The groups of the user; empty if there is no user. */
  readonly groupIds: readonly string[];
  /**
   * The grant type that first obtained the tokens. A request with a refresh token therefore keeps the original grant
   * type.
   */
  readonly grantType: string;
  /** The names of all requested scopes, or of the server's default scopes if the request named none. */
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
 * Finds the rule that grants tokens to a request. It is the first rule that matches in the first policy that is for the
 * client and has such a rule. Null means that the request is refused. Exclusion wins over inclusion, and a rule that
 * includes nobody matches nobody. If there is no user, people are not evaluated (contract section 18).
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
