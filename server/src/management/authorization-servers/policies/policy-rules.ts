import type { ClientId } from '../../../kernel/words/ids.ts';
export const EVERYONE = 'EVERYONE';
export const ALL_CLIENTS = 'ALL_CLIENTS';
export const ANY_SCOPE = '*';

/** An excluded id does not match, even if it is also included. */
export interface IdChoices {
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

export interface ServerRuleConditions {
  readonly people: { readonly users: IdChoices; readonly groups: IdChoices };
  /** Stored grant types do not contain the namespace word. */
  readonly grantTypes: { readonly include: readonly string[] };
  readonly scopes: { readonly include: readonly string[] };
}

export interface TokenLifetimes {
  readonly accessTokenLifetimeMinutes: number;
  /** 0 means unlimited. */
  readonly refreshTokenLifetimeMinutes: number;
  /** The time after which an unused refresh token expires. */
  readonly refreshTokenWindowMinutes: number;
}

export interface ServerRule extends TokenLifetimes {
  readonly id: string;
  readonly name: string;
  readonly conditions: ServerRuleConditions;
}

export interface ServerPolicy {
  readonly id: string;
  readonly name: string;
  readonly clients: readonly string[];
  readonly rules: readonly ServerRule[];
}

export interface PolicyRequest {
  readonly clientId: ClientId;
  /** This is null if the client requests a token for itself. */
  readonly userId: string | null;
  readonly groupIds: readonly string[];
  /** The grant type that first obtained the tokens, even if the request contains a refresh token. */
  readonly grantType: string;
  /** The requested scopes, or default scopes of the server if the request named none. */
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
 * Finds the first matching rule in the policies that apply to the client, in their order. Without a match, the request
 * is refused. If there is no user, conditions on users and groups are not evaluated.
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
