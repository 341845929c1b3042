import { type AnyRoute, noContent, ok, route, versioned } from '../../../platform/http/index.ts';
import { AppIdParams } from '../contract.ts';
import type { AppRoutesPorts } from '../route-ports.ts';
import { ApprovalIdParams, ApprovalListSchema, ApprovalSchema } from './approval-contract.ts';
import { approvalVersion, wireApproval } from './approval-wire.ts';
import { approveClient } from './approve-client.ts';
import { getApproval, listApprovals } from './get-approval.ts';
import { revokeApproval } from './revoke-approval.ts';

const common = {
  tag: 'ApplicationGrants',
  access: 'authenticated',
  bucket: 'management',
  cors: false,
  appliesGrant: true,
} as const;
const reading = { ...common, scopes: ['appGrants.read'], permission: 'apps.read' } as const;
// Anyone who manages the app may approve; the approval reaches only as far as the approver's roles.
const managing = { ...common, scopes: ['appGrants.manage'], permission: 'apps.manage' } as const;
const collection = '/api/v1/apps/:appId/absent-user-approvals';
const single = `${collection}/:approvalId`;

/** Approvals of clients for absent administrators are an extension: the published contract has no such resource. */
export const approvalRoutes = ({ db, work }: AppRoutesPorts): AnyRoute[] => [
  route({
    ...reading,
    operationId: 'listAbsentUserApprovals',
    method: 'GET',
    url: collection,
    summary: 'List all approvals for administrators who are not there',
    params: AppIdParams,
    response: { status: 200, schema: ApprovalListSchema },
    errors: ['E0000007'],
    handler: async ({ context, grant, params: { appId } }) =>
      ok((await listApprovals(db, context, grant, appId)).map((shown) => wireApproval(shown, context))),
  }),
  route({
    ...managing,
    operationId: 'approveClientForAbsentUsers',
    method: 'POST',
    url: collection,
    summary: 'Approve a client for administrators who are not there',
    params: AppIdParams,
    response: { status: 201, schema: ApprovalSchema },
    errors: ['E0000001', 'E0000006', 'E0000007'],
    handler: async ({ context, grant, params: { appId } }) => {
      const shown = await approveClient(work, context, grant, appId);
      return versioned(approvalVersion(shown.approval), wireApproval(shown, context), 201);
    },
  }),
  route({
    ...reading,
    operationId: 'getAbsentUserApproval',
    method: 'GET',
    url: single,
    summary: 'Retrieve an approval for administrators who are not there',
    params: ApprovalIdParams,
    response: { status: 200, schema: ApprovalSchema },
    errors: ['E0000007'],
    handler: async ({ context, grant, params: { appId, approvalId } }) => {
      const shown = await getApproval(db, context, grant, appId, approvalId);
      return versioned(approvalVersion(shown.approval), wireApproval(shown, context));
    },
  }),
  route({
    ...managing,
    operationId: 'revokeAbsentUserApproval',
    method: 'DELETE',
    url: single,
    summary: 'Revoke an approval for administrators who are not there',
    params: ApprovalIdParams,
    response: { status: 204, schema: null },
    errors: ['E0000006', 'E0000007'],
    conditional: true,
    handler: async ({ context, grant, params: { appId, approvalId } }) => {
      await revokeApproval(work, context, grant, appId, approvalId);
      return noContent();
    },
  }),
];
