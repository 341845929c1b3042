import { type Static, Type } from '@sinclair/typebox';

export const SetParams = Type.Object({ resourceSetIdOrLabel: Type.String() });
export const ResourceParams = Type.Object({ resourceSetIdOrLabel: Type.String(), resourceId: Type.String() });

const label = Type.String({ description: 'It is unique in the org and has at most 255 characters.' });
const description = Type.String({ description: 'It has at most 1,024 characters.' });
const reference = Type.String({ description: 'A resource, by its resource name (ORN) or by its address in this org.' });

export const CreateSetBody = Type.Object({ label, description, resources: Type.Array(reference) });
export type CreateSetInput = Static<typeof CreateSetBody>;

export const ReplaceSetBody = Type.Object({ label: Type.Optional(label), description: Type.Optional(description) });
export type ReplaceSetInput = Static<typeof ReplaceSetBody>;

const Excluded = Type.Record(Type.String(), Type.Unknown(), {
  description: 'Resource names, in the member `svc:ORN`.',
});
const Conditions = Type.Object({ Exclude: Type.Optional(Type.Union([Excluded, Type.Null()])) });
export type ConditionsInput = Static<typeof Conditions>;

export const AddResourceBody = Type.Object({ resourceOrnOrUrl: reference, conditions: Type.Optional(Conditions) });
export type AddResourceInput = Static<typeof AddResourceBody>;
export const AddResourcesBody = Type.Object({ additions: Type.Array(reference) });
export const ReplaceResourceBody = Type.Object({ conditions: Type.Optional(Conditions) });

const Links = Type.Record(Type.String(), Type.Unknown());
const instant = Type.String({ format: 'date-time' });

export const SetSchema = Type.Object({
  id: Type.String(),
  label,
  description,
  created: instant,
  lastUpdated: instant,
  _links: Links,
});
export const SetListSchema = Type.Object({
  'resource-sets': Type.Array(SetSchema),
  _links: Links,
});

export const ResourceSchema = Type.Object({
  id: Type.String(),
  orn: Type.String(),
  conditions: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  created: instant,
  lastUpdated: instant,
  _links: Links,
});
export const ResourceListSchema = Type.Object({ resources: Type.Array(ResourceSchema), _links: Links });
