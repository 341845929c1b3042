import { type AppPath, judgedNetworkOf } from '../../access/index.ts';
import type { Context } from '../../kernel/context.ts';
import type { OrgId } from '../../kernel/words/ids.ts';
import type { AppNetwork, AppSignOnDecision, CompiledAppSignOn } from '../../management/policies/index.ts';

export interface AppPolicies {
  readonly policies: CompiledAppSignOn;
  /** The ids of the zones that contain the request's address. The list may be empty if the decision ignores zones. */
  readonly zones: readonly string[];
}

export interface AppPoliciesPorts {
  /** The policies can be slightly out of date. */
  readonly appSignOn: (orgId: OrgId) => Promise<CompiledAppSignOn>;
  readonly zonesOf: (orgId: OrgId, address: string | null) => Promise<readonly string[]>;
}

/** Call this before a transaction starts, because it may query the database on a connection of its own. */
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
  readonly isPublicClient: boolean;
  /** The policy that was assigned to the app; null means the default policy. */
  readonly accessPolicyId: string | null;
  readonly user: { readonly id: string; readonly typeId: string };
  readonly groupIds: readonly string[];
}

export function decideAppSignOn({ policies, zones }: AppPolicies, question: AppQuestion): AppSignOnDecision {
  const { accessPolicyId, groupIds, isPublicClient, path, user } = question;
  const decision = policies.decide(accessPolicyId, {
    userId: user.id,
    userTypeId: user.typeId,
    groups: new Set(groupIds),
    network: networkOf(path, zones, isPublicClient),
  });
  // Access policies end with a rule that applies to everyone.
  if (decision === null) throw new Error('the policy of the app has no rule that holds');
  return decision;
}
