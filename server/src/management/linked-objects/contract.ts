import { type Static, Type } from '@sinclair/typebox';

/** `linkedObjectName` can be the name of either side. */
export const DefinitionParams = Type.Object({ linkedObjectName: Type.String() });

const Side = Type.Object({
  name: Type.String({
    description: 'The name, of letters, digits and `_`. It does not start with a digit, and is unique in the org.',
  }),
  title: Type.String({ description: 'It has at most 255 characters.' }),
  description: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  type: Type.Unsafe<'USER'>({ type: 'string', enum: ['USER'] }),
});

export const DefinitionBody = Type.Object({ primary: Side, associated: Side });
export type DefinitionInput = Static<typeof DefinitionBody>;

export const DefinitionSchema = Type.Object({
  primary: Side,
  associated: Side,
  _links: Type.Record(Type.String(), Type.Unknown()),
});
export const DefinitionListSchema = Type.Array(DefinitionSchema);

/** `userIdOrLogin` can also be `me`. */
export const UserRelationParams = Type.Object({ userIdOrLogin: Type.String(), relationshipName: Type.String() });
export const UserPrimaryParams = Type.Object({
  userIdOrLogin: Type.String(),
  primaryRelationshipName: Type.String(),
  primaryUserId: Type.String(),
});

export const UserLinkListSchema = Type.Array(Type.Object({ _links: Type.Record(Type.String(), Type.Unknown()) }));
