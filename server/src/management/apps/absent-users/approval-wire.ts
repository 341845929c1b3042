import { isStanding } from '../../../access/index.ts';
import type { Context } from '../../../kernel/context.ts';
import { wireDate } from '../../../kernel/texts/dates.ts';
import type { Version } from '../../../kernel/version.ts';
import type { ClientApp } from '../store.ts';
import type { StoredApproval } from './approval-store.ts';

export interface ShownApproval {
  readonly app: ClientApp;
  readonly approval: StoredApproval;
}

export function wireApproval({ app, approval }: ShownApproval, { baseUrl }: Context): Record<string, unknown> {
  const appAddress = `${baseUrl}/api/v1/apps/${app.id}`;
  return {
    id: approval.id,
    status: isStanding(approval, { id: app.id, name: app.document.name }) ? 'ACTIVE' : 'INACTIVE',
    created: wireDate(approval.createdAt),
    createdBy: { id: approval.approverId, type: approval.approverType },
    lastUpdated: wireDate(approval.lastUpdatedAt),
    _links: {
      app: { href: appAddress, title: app.label },
      self: { href: `${appAddress}/absent-user-approvals/${approval.id}`, hints: { allow: ['GET', 'DELETE'] } },
    },
  };
}

export const approvalVersion = ({ id, revision }: StoredApproval): Version => ({
  kind: 'absentUserApproval',
  id,
  revision,
});
