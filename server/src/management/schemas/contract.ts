import { Type } from '@sinclair/typebox';

/** An id, or `default`. */
export const SchemaIdParams = Type.Object({ schemaId: Type.String() });
/** An id, or `default`. */
export const TypeIdParams = Type.Object({ typeId: Type.String() });

const Definition = Type.Record(Type.String(), Type.Unknown());

export const UserSchemaUpdateBody = Type.Object({
  definitions: Type.Optional(
    Type.Object({
      base: Type.Optional(
        Type.Object({
          properties: Type.Optional(Type.Record(Type.String(), Type.Union([Definition, Type.Null()]))),
          required: Type.Optional(Type.Array(Type.String())),
        }),
      ),
      custom: Type.Optional(Type.Object({ properties: Type.Optional(Definition) })),
    }),
  ),
});

const SubSchema = Type.Object({
  id: Type.String(),
  type: Type.String(),
  properties: Definition,
  required: Type.Array(Type.String()),
});

export const UserSchemaSchema = Type.Object({
  id: Type.String(),
  $schema: Type.String(),
  name: Type.String(),
  title: Type.String(),
  description: Type.Union([Type.String(), Type.Null()]),
  lastUpdated: Type.String({ format: 'date-time' }),
  created: Type.String({ format: 'date-time' }),
  definitions: Type.Object({ custom: SubSchema, base: SubSchema }),
  type: Type.String(),
  properties: Definition,
  _links: Definition,
});

export const UserTypeSchema = Type.Object({
  id: Type.String(),
  displayName: Type.String(),
  name: Type.String(),
  description: Type.Union([Type.String(), Type.Null()]),
  createdBy: Type.String(),
  lastUpdatedBy: Type.String(),
  created: Type.String({ format: 'date-time' }),
  lastUpdated: Type.String({ format: 'date-time' }),
  default: Type.Boolean(),
  _links: Definition,
});
export const UserTypeListSchema = Type.Array(UserTypeSchema);
