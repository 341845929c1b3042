import { Type } from '@sinclair/typebox';

export const ClientIdParams = Type.Object({ clientId: Type.String() });
export const ClientRoleIdParams = Type.Object({ clientId: Type.String(), roleAssignmentId: Type.String() });

export const AssignClientRoleBody = Type.Object({
  type: Type.String({ description: 'A standard role.' }),
});

export const ClientRoleSchema = Type.Object({
  id: Type.String(),
  label: Type.String(),
  type: Type.String(),
  status: Type.String(),
  created: Type.String({ format: 'date-time' }),
  lastUpdated: Type.String({ format: 'date-time' }),
  assignmentType: Type.String(),
  _links: Type.Record(Type.String(), Type.Unknown()),
});
export const ClientRoleListSchema = Type.Array(ClientRoleSchema);
