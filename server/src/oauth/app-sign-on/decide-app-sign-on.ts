import { type AppPath, judgedNetworkOf } from '../../access/index.ts';
import type { Context } from '../../kernel/context.ts';
import type { OrgId } from '../../kernel/words/ids.ts';
import type { AppNetwork, AppSignOnDecision, CompiledAppSignOn } from '../../management/policies/index.ts';

/** The sign-on policies that apply to whoever comes to an app, and the zones of the request's address. */
export interface AppPolicies {
  readonly policies: CompiledAppSignOn;
  /** Ids of the zones that the client's address is in; none where nothing asks. */
  readonly zones: readonly string[];
}

export interface AppPoliciesPorts {
  /** The org's access policies, at most a second old. */
  readonly appSignOn: (orgId: OrgId) => Promise<CompiledAppSignOn>;
  /** Ids of the network zones that an address lies in. */
  readonly zonesOf: (orgId: OrgId, address: string | null) => Promise<readonly string[]>;
}

/** To be had before a transaction begins: it may read from the database by itself. */
export async function findAppPolicies(
  { appSignOn, zonesOf }: AppPoliciesPorts,
  { client, orgId }: Context,
): Promise<AppPolicies> {
  const policies = await appSignOn(orgId);
  return { policies, zones: policies.asksNetwork ? await zonesOf(orgId, client.ipAddress) : [] };
}

function networkOf(path: AppPath, zones: readonly string[], isPublicClient: boolean): AppNetwork {
  const judged = judgedNetworkOf(path);
  if (judged === 'publicClient') return isPublicClient ? { zones } : 'judgedBefore';
  return judged === 'person' ? { zones } : judged;
}

export interface AppQuestion {
  readonly path: AppPath;
  /** Whether the client runs where its user is: it proves nothing by which it could be told from him. */
  readonly isPublicClient: boolean;
  /** The policy that the app was put under; null: none. */
  readonly accessPolicyId: string | null;
  readonly user: { readonly id: string; readonly typeId: string };
  readonly groupIds: readonly string[];
}

/** Evaluates the sign-on policy of an app for a user who reaches it by this path. */
export function decideAppSignOn({ policies, zones }: AppPolicies, question: AppQuestion): AppSignOnDecision {
  const { accessPolicyId, groupIds, isPublicClient, path, user } = question;
  const decision = policies.decide(accessPolicyId, {
    userId: user.id,
    userTypeId: user.typeId,
    groups: new Set(groupIds),
    network: networkOf(path, zones, isPublicClient),
  });
  // Every policy ends with a rule that holds for everyone.
  if (decision === null) throw new Error('the policy of the app has no rule that holds');
  return decision;
}
