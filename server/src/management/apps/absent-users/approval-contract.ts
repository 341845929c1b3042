import { Type } from '@sinclair/typebox';

export const ApprovalIdParams = Type.Object({ appId: Type.String(), approvalId: Type.String() });

export const ApprovalSchema = Type.Object({
  id: Type.String(),
  status: Type.Unsafe<'ACTIVE' | 'INACTIVE'>({
    type: 'string',
    enum: ['ACTIVE', 'INACTIVE'],
    description: '`INACTIVE` means that the approver is gone, is shut out, or no longer manages the app.',
  }),
  created: Type.String({ format: 'date-time' }),
  createdBy: Type.Object({ id: Type.String(), type: Type.String() }),
  lastUpdated: Type.String({ format: 'date-time', description: 'When the approver approved it last.' }),
  _links: Type.Record(Type.String(), Type.Unknown()),
});
export const ApprovalListSchema = Type.Array(ApprovalSchema);
