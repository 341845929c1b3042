import type { ClientId } from '../../../kernel/words/ids.ts';
/** What a rule's `groups.include` calls the group that all users are in. */
export const EVERYONE = 'EVERYONE';
/** What a policy's `clients` calls all clients. */
export const ALL_CLIENTS = 'ALL_CLIENTS';
/** What a rule's `scopes.include` calls any scopes. */
export const ANY_SCOPE = '*';

/** Ids that are meant, less those that are not. */
export interface IdChoices {
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

/** What a rule asks of a request, as it is stored. */
export interface ServerRuleConditions {
  readonly people: { readonly users: IdChoices; readonly groups: IdChoices };
  /** As apps store them: the namespace's word stands in none. */
  readonly grantTypes: { readonly include: readonly string[] };
  readonly scopes: { readonly include: readonly string[] };
}

/** How long tokens live that a rule gives, in minutes. */
export interface TokenLifetimes {
  readonly accessTokenLifetimeMinutes: number;
  /** 0: without end. */
  readonly refreshTokenLifetimeMinutes: number;
  /** Unused for so long a refresh token is over. */
  readonly refreshTokenWindowMinutes: number;
}

/** An active rule, as tokens ask for it. */
export interface ServerRule extends TokenLifetimes {
  readonly id: string;
  readonly name: string;
  readonly conditions: ServerRuleConditions;
}

/** An active policy with its active rules in the order in which they are asked. */
export interface ServerPolicy {
  readonly id: string;
  readonly name: string;
  readonly clients: readonly string[];
  readonly rules: readonly ServerRule[];
}

/** What of a request for tokens decides. */
export interface PolicyRequest {
  readonly clientId: ClientId;
  /** Null: the client asks for itself. */
  readonly userId: string | null;
  /** Of the user; empty where there is none. */
  readonly groupIds: readonly string[];
  /** By which the tokens were asked for first: a refresh token is judged as the grant that it came from. */
  readonly grantType: string;
  /** Names of all scopes asked for, or of the server's default scopes where none was. */
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
 * The rule by which a request gets its tokens: the first that holds, of the first policy that is for the client and has
 * one that holds. Null: the request is refused. What excludes goes before what includes; a rule that includes nobody is
 * for nobody; where no user is, people are not asked (contract section 18).
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
