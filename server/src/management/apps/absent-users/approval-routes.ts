import { type AnyRoute, resourceRoutes } from '../../../platform/http/index.ts';
import { AppIdParams } from '../contract.ts';
import type { AppRoutesPorts } from '../route-ports.ts';
import { ApprovalIdParams, ApprovalListSchema, ApprovalSchema } from './approval-contract.ts';
import { approvalVersion, wireApproval } from './approval-wire.ts';
import { approveClient } from './approve-client.ts';
import { getApproval, listApprovals } from './get-approval.ts';
import { revokeApproval } from './revoke-approval.ts';

const approvals = resourceRoutes({
  tag: 'ApplicationGrants',
  name: 'AbsentUserApproval',
  one: 'an approval to act for absent administrators',
  all: 'all approvals to act for absent administrators',
  scope: 'appGrants',
  permission: 'apps',
  appliesGrant: true,
  url: '/api/v1/apps/:appId/absent-user-approvals/:approvalId',
  of: AppIdParams,
  params: ApprovalIdParams,
  schema: ApprovalSchema,
  wire: wireApproval,
  version: ({ approval }) => approvalVersion(approval),
});

/** These operations extend the published contract, which has no approvals for absent administrators. */
export const approvalRoutes = ({ db, work }: AppRoutesPorts): AnyRoute[] => [
  approvals.list({
    schema: ApprovalListSchema,
    use: ({ context, grant, params }) => listApprovals(db, context, grant, params.appId),
  }),
  approvals.create({
    operationId: 'approveClientForAbsentUsers',
    summary: 'Approve a client to act for absent administrators',
    status: 201,
    errors: ['E0000001', 'E0000006'],
    idempotent: false,
    use: ({ context, grant, params }) => approveClient(work, context, grant, params.appId),
  }),
  approvals.get({
    use: ({ context, grant, params }) => getApproval(db, context, grant, params.appId, params.approvalId),
  }),
  approvals.delete({
    operationId: 'revokeAbsentUserApproval',
    summary: 'Revoke an approval to act for absent administrators',
    errors: ['E0000006'],
    use: ({ context, grant, params }) => revokeApproval(work, context, grant, params.appId, params.approvalId),
  }),
];
