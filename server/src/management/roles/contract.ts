import { Type } from '@sinclair/typebox';

export const UserIdParams = Type.Object({ userId: Type.String() });
export const RoleAssignmentIdParams = Type.Object({ userId: Type.String(), roleAssignmentId: Type.String() });

export const AssignRoleBody = Type.Object({
  type: Type.String({ description: 'A standard role.' }),
});

export const RoleAssignmentSchema = Type.Object({
  id: Type.String(),
  label: Type.String(),
  type: Type.String(),
  status: Type.String(),
  created: Type.String({ format: 'date-time' }),
  lastUpdated: Type.String({ format: 'date-time' }),
  assignmentType: Type.String(),
  _links: Type.Record(Type.String(), Type.Unknown()),
});
export const RoleAssignmentListSchema = Type.Array(RoleAssignmentSchema);
