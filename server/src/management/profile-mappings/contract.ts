import { type Static, Type } from '@sinclair/typebox';

export const MappingIdParams = Type.Object({ profileMappingId: Type.String() });

const Nullable = Type.Union([Type.String(), Type.Null()]);

const Property = Type.Union([
  Type.Object({ expression: Type.Optional(Nullable), pushStatus: Type.Optional(Nullable) }),
  Type.Null(),
]);

export const UpdateMappingBody = Type.Object({
  properties: Type.Record(Type.String(), Property, {
    description:
      'The mappings, by attributes of the target. `null`, or a `null` expression, removes one. The others stay.',
  }),
});
export type MappingUpdate = Static<typeof UpdateMappingBody>;

const End = Type.Object({
  id: Type.String(),
  name: Type.String(),
  type: Type.String(),
  _links: Type.Record(Type.String(), Type.Unknown()),
});

const Listed = {
  id: Type.String(),
  source: End,
  target: End,
  _links: Type.Record(Type.String(), Type.Unknown()),
};

export const MappingSchema = Type.Object({
  ...Listed,
  properties: Type.Record(Type.String(), Type.Object({ expression: Type.String(), pushStatus: Type.String() })),
});
export const MappingListSchema = Type.Array(Type.Object(Listed));
