import type { Context } from '../../../kernel/context.ts';
import { notFound } from '../../../kernel/errors/errors.ts';
import { assertVersion } from '../../../kernel/version.ts';
import type { AppId } from '../../../kernel/words/ids.ts';
import type { Grant } from '../../../platform/http/index.ts';
import type { Work } from '../../../system-log/index.ts';
import { lockClient } from '../changes/lock-app.ts';
import { appTarget } from '../target.ts';
import { findApprovals, removeApproval } from './approval-store.ts';
import { approvalChange } from './approval-target.ts';
import { approvalVersion } from './approval-wire.ts';

/** Revokes an approval, even one that somebody else gave, because a revocation only takes power away. */
export function revokeApproval(
  work: Work,
  context: Context,
  within: Grant,
  appId: AppId,
  approvalId: string,
): Promise<void> {
  const { orgId } = context;
  return work(context, async (tx, record) => {
    const app = await lockClient(tx, context, appId, within);
    const approval = (await findApprovals(tx, orgId, appId)).find(({ id }) => id === approvalId);
    if (approval === undefined) throw notFound(approvalId, 'AbsentUserApproval');
    assertVersion(context, approvalVersion(approval));
    await removeApproval(tx, orgId, appId, approvalId);
    record({
      eventType: 'app.oauth2.admin.consent.revoke',
      target: [appTarget(app), approvalChange([approval, null])],
    });
  });
}
