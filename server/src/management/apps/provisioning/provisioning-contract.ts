import { Type } from '@sinclair/typebox';

export const FeatureParams = Type.Object({ appId: Type.String(), featureName: Type.String() });

const AnyObject = Type.Record(Type.String(), Type.Unknown());

/** The schema accepts any object, because `feature-rules.ts` validates the members. */
export const FeatureBody = Type.Record(Type.String(), Type.Unknown(), {
  description: 'The capabilities of the feature; what is left out stays as it is, but a schedule is replaced whole.',
});

export const FeatureSchema = Type.Object({
  name: Type.String(),
  status: Type.String(),
  description: Type.String(),
  capabilities: AnyObject,
  _links: AnyObject,
});
export const FeatureListSchema = Type.Array(FeatureSchema);

export const ConnectionBody = Type.Object({
  baseUrl: Type.Optional(
    Type.Union([Type.String({ maxLength: 1_024, description: 'The https address of the app.' }), Type.Null()]),
  ),
  profile: Type.Object({
    authScheme: Type.Unsafe<'TOKEN'>({ type: 'string', enum: ['TOKEN'] }),
    token: Type.Optional(
      Type.Union([
        Type.String({
          minLength: 1,
          maxLength: 4_096,
          pattern: '^[!-~]*$',
          description: 'The token. No response contains it.',
        }),
        Type.Null(),
      ]),
    ),
  }),
});

export const ConnectionSchema = Type.Object({
  authScheme: Type.Optional(Type.Literal('TOKEN')),
  status: Type.String(),
  baseUrl: Type.Optional(Type.String()),
  profile: Type.Object({ authScheme: Type.String() }),
  _links: AnyObject,
});
