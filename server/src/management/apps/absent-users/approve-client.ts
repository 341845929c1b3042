import { hasGainedRights, rolesOfHolder } from '../../../access/index.ts';
import { type Context, ownerIdOf } from '../../../kernel/context.ts';
import { apiError, invalidObject } from '../../../kernel/errors/errors.ts';
import { wholeSecond } from '../../../kernel/texts/dates.ts';
import { type AppId, newId, orgSuffixOf } from '../../../kernel/words/ids.ts';
import type { Grant } from '../../../platform/http/index.ts';
import type { Work } from '../../../system-log/index.ts';
import { lockClient } from '../changes/lock-app.ts';
import { appTarget } from '../target.ts';
import { findApprovals, insertApproval, renewApproval } from './approval-store.ts';
import { approvalChange } from './approval-target.ts';
import type { ShownApproval } from './approval-wire.ts';

export const MAXIMUM_APPROVALS = 20;

/**
 * Approves the client to get tokens for absent administrators whose rights the caller holds too. Renews an earlier
 * approval by the caller only if the caller has gained rights since.
 */
export function approveClient(work: Work, context: Context, within: Grant, appId: AppId): Promise<ShownApproval> {
  const { orgId } = context;
  const approverId = ownerIdOf(context.principal);
  const now = wholeSecond(context.now);
  const id = newId('absentUserApproval', orgSuffixOf(orgId));
  return work(context, async (tx, record) => {
    const app = await lockClient(tx, context, appId, within);
    if (approverId === null) throw apiError('E0000006');
    const approvals = await findApprovals(tx, orgId, appId);
    const before = approvals.find((one) => one.approverId === approverId) ?? null;
    const heldRoles = await rolesOfHolder(tx, orgId, approverId);
    if (before !== null && !hasGainedRights({ rolesBefore: before.heldRoles, rolesNow: heldRoles })) {
      return { app, approval: before };
    }
    if (before === null && approvals.length >= MAXIMUM_APPROVALS) {
      const cause = `A client may have at most ${MAXIMUM_APPROVALS} approvals. Withdraw one first.`;
      throw invalidObject('AbsentUserApproval', [cause]);
    }
    const approval = {
      ...(before ?? { id, approverId, approverType: context.actor.type, createdAt: now }),
      heldRoles,
      lastUpdatedAt: now,
    };
    await (before === null ? insertApproval : renewApproval)(tx, orgId, appId, approval);
    record({
      eventType: 'app.oauth2.admin.consent.grant',
      target: [appTarget(app), approvalChange([before, approval])],
    });
    const stored = (await findApprovals(tx, orgId, appId)).find((one) => one.id === approval.id);
    if (stored === undefined) throw new Error('what was written is not there');
    return { app, approval: stored };
  });
}
