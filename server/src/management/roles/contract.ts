import { Type } from '@sinclair/typebox';

const text = Type.String();

export const RoleAssignmentIdParams = Type.Object({ userId: text, roleAssignmentId: text });
export const GovernanceGrantParams = Type.Object({ userId: text, roleAssignmentId: text, grantId: text });
export const RoleOfUserParams = Type.Object({ userId: text, roleIdOrEncodedRoleId: text });

export const AssignRoleBody = Type.Object({
  type: Type.String({ description: 'The type of a standard role, or `CUSTOM`.' }),
  role: Type.Optional(Type.String({ description: 'With the type `CUSTOM`: the id or the label of the custom role.' })),
  'resource-set': Type.Optional(
    Type.String({
      description: 'With the type `CUSTOM`: the id or the label of the resource set that the role reaches.',
    }),
  ),
});

const Links = Type.Record(Type.String(), Type.Unknown());
const instant = Type.String({ format: 'date-time' });

export const RoleAssignmentSchema = Type.Object({
  id: text,
  label: text,
  type: text,
  role: Type.Optional(text),
  'resource-set': Type.Optional(text),
  status: text,
  created: instant,
  lastUpdated: instant,
  assignmentType: text,
  _embedded: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  _links: Links,
});
export const RoleAssignmentListSchema = Type.Array(RoleAssignmentSchema);

export const AppTargetListSchema = Type.Array(
  Type.Object({ name: text, status: text, id: Type.Optional(text), _links: Links }),
);
export const GroupTargetListSchema = Type.Array(Type.Record(Type.String(), Type.Unknown()));
export const HeldTargetListSchema = Type.Array(Type.Object({ assignmentType: text, orn: text, _links: Links }));

export const HolderListSchema = Type.Object({
  value: Type.Array(Type.Object({ id: text, orn: text, _links: Links })),
  _links: Type.Optional(Links),
});

export const GovernanceSchema = Type.Object({ grants: Type.Array(Type.Unknown()), _links: Links });
export const GovernanceSourceSchema = Type.Record(Type.String(), Type.Unknown());

export const BindingsOfSetParams = Type.Object({ resourceSetIdOrLabel: text });
export const BindingParams = Type.Object({ resourceSetIdOrLabel: text, roleIdOrLabel: text });
export const MemberParams = Type.Object({ resourceSetIdOrLabel: text, roleIdOrLabel: text, memberId: text });

const reference = Type.String({
  description: 'A user, group or client, by its address in this org or by its resource name (ORN).',
});

export const CreateBindingBody = Type.Object({
  role: Type.String({ description: 'The id or the label of a custom role.' }),
  members: Type.Optional(Type.Array(reference)),
});
export const AddMembersBody = Type.Object({ additions: Type.Array(reference) });

export const BindingListSchema = Type.Object({
  roles: Type.Array(Type.Object({ id: text, _links: Links })),
  _links: Links,
});
export const BindingEditSchema = Type.Object({ _links: Links });
export const BindingSchema = Type.Object({ id: text, _links: Links });
export const MemberSchema = Type.Object({ id: text, created: instant, lastUpdated: instant, _links: Links });
export const MemberListSchema = Type.Object({ members: Type.Array(MemberSchema), _links: Links });
