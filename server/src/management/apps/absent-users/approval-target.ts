import { changeTarget, type Target } from '../../../system-log/index.ts';
import type { NewApproval } from './approval-store.ts';

const approvalTarget = ({ approverId, id }: NewApproval): Target => ({
  id,
  type: 'AbsentUserApproval',
  alternateId: approverId,
  displayName: 'Tokens for administrators who are not there',
});

export const approvalChange = changeTarget(approvalTarget, ({ approverId, heldRoles }: NewApproval) => ({
  approver: approverId,
  roles: heldRoles.map(({ type }) => type),
}));
