import type { Context } from '../../../kernel/context.ts';
import { invalid, notFound } from '../../../kernel/errors/errors.ts';
import type { AppId } from '../../../kernel/words/ids.ts';
import type { Grant } from '../../../platform/http/index.ts';
import { changeTarget, type Target } from '../../../system-log/index.ts';
import type { AppPorts } from '../route-ports.ts';
import { type App, raiseRevision } from '../store.ts';
import { appTarget } from '../target.ts';
import { findAppPolicy, isAppPolicyType, setAppPolicy } from './app-policy-store.ts';
import { lockApp } from './lock-app.ts';

interface Assigned {
  readonly app: App;
  readonly type: string;
  readonly policyId: string | null;
}

export const appPolicyChange = changeTarget(
  ({ app }: Assigned) => appTarget(app),
  ({ policyId, type }) => ({ [type === 'ACCESS_POLICY' ? 'accessPolicy' : 'profileEnrollment']: policyId }),
);

const policyTarget = ({ id, name }: { readonly id: string; readonly name: string }): Target => ({
  id,
  type: 'Policy',
  alternateId: id,
  displayName: name,
});

export function assignAppPolicy(
  { appPolicies, work }: Pick<AppPorts, 'appPolicies' | 'work'>,
  context: Context,
  grant: Grant,
  appId: AppId,
  policyId: string,
): Promise<void> {
  const { orgId } = context;
  return work(context, async (tx, record) => {
    const app = await lockApp(tx, context, appId, grant);
    const policy = await appPolicies.lock(tx, orgId, policyId);
    if (policy === undefined) throw notFound(policyId, 'Policy');
    const { type } = policy;
    if (!isAppPolicyType(type)) {
      throw invalid('policyId', 'must be a policy of the type ACCESS_POLICY or PROFILE_ENROLLMENT.');
    }
    const before = await findAppPolicy(tx, orgId, appId, type);
    if (before === policyId) return;
    await setAppPolicy(tx, orgId, appId, type, policyId);
    await raiseRevision(tx, orgId, appId);
    const target = appPolicyChange([
      { app, type, policyId: before },
      { app, type, policyId },
    ]);
    record({ eventType: 'application.policy.sign_on.update', target: [target, policyTarget(policy)] });
  });
}
