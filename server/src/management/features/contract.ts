import { Type } from '@sinclair/typebox';

export const FeatureIdParams = Type.Object({ featureId: Type.String() });

export const FeatureLifecycleParams = Type.Object({
  featureId: Type.String(),
  lifecycle: Type.String({ description: 'ENABLE or DISABLE, in any case.' }),
});

export const FeatureSchema = Type.Object({
  id: Type.String(),
  type: Type.Literal('self-service'),
  status: Type.Union([Type.Literal('ENABLED'), Type.Literal('DISABLED')]),
  name: Type.String(),
  description: Type.String(),
  stage: Type.Object({ value: Type.Literal('EA') }),
  _links: Type.Record(Type.String(), Type.Unknown()),
});

export const FeatureListSchema = Type.Array(FeatureSchema);
