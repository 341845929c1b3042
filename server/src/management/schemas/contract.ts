import { type Static, Type } from '@sinclair/typebox';

/** `schemaId` is an id or `default`. */
export const SchemaIdParams = Type.Object({ schemaId: Type.String() });
/** `typeId` is an id or `default`. */
export const TypeIdParams = Type.Object({ typeId: Type.String() });
export const AppIdParams = Type.Object({ appId: Type.String() });

const Definition = Type.Record(Type.String(), Type.Unknown());

const Properties = Type.Record(Type.String(), Type.Union([Definition, Type.Null()]), {
  description: 'The attributes, by name. `null` removes one. Members of an attribute that are left out stay.',
});

export const SchemaUpdateBody = Type.Object({
  definitions: Type.Optional(
    Type.Object({
      base: Type.Optional(
        Type.Object({ properties: Type.Optional(Properties), required: Type.Optional(Type.Array(Type.String())) }),
      ),
      custom: Type.Optional(Type.Object({ properties: Type.Optional(Properties) })),
    }),
  ),
});

const SubSchema = Type.Object({
  id: Type.String(),
  type: Type.String(),
  properties: Definition,
  required: Type.Array(Type.String()),
});

const Instant = Type.String({ format: 'date-time' });
const Described = Type.Union([Type.String(), Type.Null()]);

const Schema = {
  id: Type.String(),
  $schema: Type.String(),
  name: Type.String(),
  title: Type.String(),
  lastUpdated: Instant,
  created: Instant,
  definitions: Type.Object({ custom: SubSchema, base: SubSchema }),
  type: Type.String(),
  properties: Definition,
};

export const UserSchemaSchema = Type.Object({ ...Schema, description: Described, _links: Definition });
export const GroupSchemaSchema = Type.Object({ ...Schema, description: Described, _links: Definition });
export const AppUserSchemaSchema = Type.Object(Schema);

export const CreateUserTypeBody = Type.Object({
  name: Type.String({
    description: 'The name, of letters, digits and `_`. It is unique in the org and never changes.',
  }),
  displayName: Type.String({ description: 'It has at most 255 characters.' }),
  description: Type.Optional(Described),
});
export type CreateUserTypeInput = Static<typeof CreateUserTypeBody>;

export const UpdateUserTypeBody = Type.Object({
  name: Type.Optional(Type.String({ description: 'The present name, which cannot be changed.' })),
  displayName: Type.Optional(Type.String()),
  description: Type.Optional(Described),
});

export const ReplaceUserTypeBody = Type.Object({
  name: Type.String({ description: 'The present name, which cannot be changed.' }),
  displayName: Type.String(),
  description: Described,
});

export const UserTypeSchema = Type.Object({
  id: Type.String(),
  displayName: Type.String(),
  name: Type.String(),
  description: Described,
  createdBy: Type.String(),
  lastUpdatedBy: Type.String(),
  created: Instant,
  lastUpdated: Instant,
  default: Type.Boolean(),
  _links: Definition,
});
export const UserTypeListSchema = Type.Array(UserTypeSchema);
