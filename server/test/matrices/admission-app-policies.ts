import { createRule, defaultPolicyPath } from '../support/policies.ts';
import type { TestOrg } from '../support/service.ts';
import type { Refusal } from './admission-ways.ts';

/** The refusal by an app's policy, for each way without its own `appRefusal`. */
export const REFUSED_BY_APP: Refusal = { status: 401, body: { error: 'access_denied' } };

interface AppPolicyChange {
  readonly name: string;
  readonly conditions: (userId: string, groupId: string) => object;
  readonly appSignOn: object;
}

const ofUser = (userId: string) => ({ people: { users: { include: [userId] } } });
const ofGroup = (_userId: string, groupId: string) => ({ people: { groups: { include: [groupId] } } });
const DENY = { access: 'DENY' };
const PASSWORD_IS_ENOUGH = { type: 'ASSURANCE', factorMode: '1FA', reauthenticateIn: 'PT12H' };

/** Rules that refuse the users to whom they apply (ADR 0053). */
export const APP_POLICY_CHANGES: readonly AppPolicyChange[] = [
  { name: 'a rule that denies the user', conditions: ofUser, appSignOn: DENY },
  { name: 'a rule that denies a group of the user', conditions: ofGroup, appSignOn: DENY },
  {
    name: 'a rule that asks for a second factor',
    conditions: ofUser,
    appSignOn: { access: 'ALLOW', verificationMethod: { type: 'ASSURANCE', factorMode: '2FA' } },
  },
  {
    name: 'a rule with a condition that cannot be told',
    conditions: (userId) => ({ ...ofUser(userId), riskScore: { level: 'HIGH' } }),
    appSignOn: { access: 'ALLOW', verificationMethod: PASSWORD_IS_ENOUGH },
  },
];

/** Puts a rule first in the default access policy of apps. Returns a function that removes the rule. */
export async function changeAppPolicy(
  org: TestOrg,
  userId: string,
  { appSignOn, conditions, name }: AppPolicyChange,
): Promise<() => Promise<void>> {
  const policy = await defaultPolicyPath(org, 'ACCESS_POLICY');
  const { body: group } = await org.admin.post('/api/v1/groups', { body: { profile: { name: `${name} ${userId}` } } });
  await org.admin.put(`/api/v1/groups/${group.id}/users/${userId}`);
  const document = { conditions: conditions(userId, group.id), actions: { appSignOn } };
  const rule = await createRule(org, policy, {
    type: 'ACCESS_POLICY',
    name: `${name} ${userId}`,
    priority: 0,
    ...document,
  });
  return async () => {
    const { status, text } = await org.admin.del(`${policy}/rules/${rule.id}`);
    if (status !== 204) throw new Error(`answered ${status}: ${text}`);
  };
}
