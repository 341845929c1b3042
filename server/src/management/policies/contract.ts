import { type Static, Type } from '@sinclair/typebox';
import { POLICY_STATUSES, type PolicyStatus } from './lifecycle.ts';
import { POLICY_TYPES } from './types/type-rules.ts';

export const PolicyIdParams = Type.Object({ policyId: Type.String() });
export const PolicyRuleIdParams = Type.Object({ policyId: Type.String(), ruleId: Type.String() });
export const PolicyMappingIdParams = Type.Object({ policyId: Type.String(), mappingId: Type.String() });

const Status = Type.Unsafe<PolicyStatus>({ type: 'string', enum: [...POLICY_STATUSES] });
const Document = Type.Record(Type.String(), Type.Unknown());
const DateTime = Type.String({ format: 'date-time' });
const orNull = <Schema extends Parameters<typeof Type.Optional>[0]>(schema: Schema) =>
  Type.Optional(Type.Union([schema, Type.Null()]));

const Priority = Type.Integer({
  description: 'The place among the others, from 1. By default, it is the last before the default one.',
});

const TYPES = POLICY_TYPES.map((type) => `\`${type === 'SIGN_ON' ? 'SVC_SIGN_ON' : type}\``).join(', ');

export const PolicyBody = Type.Object({
  type: Type.Optional(Type.String({ description: `The type of the policy, which never changes: ${TYPES}.` })),
  name: Type.String({ description: 'It is unique among the policies of the type and has at most 255 characters.' }),
  description: orNull(Type.String()),
  priority: orNull(Priority),
  status: orNull(Status),
  conditions: orNull(Document),
  settings: orNull(Document),
});
export type PolicyInput = Static<typeof PolicyBody>;

export const PolicyRuleBody = Type.Object({
  type: orNull(Type.String({ description: 'The type of the policy, without the namespace word.' })),
  name: Type.String({ description: 'It is unique in the policy and has at most 255 characters.' }),
  priority: orNull(Priority),
  status: orNull(Status),
  conditions: orNull(Document),
  actions: orNull(Document),
});
export type PolicyRuleInput = Static<typeof PolicyRuleBody>;

const Evaluation =
  '`X-Policy-Evaluation: none` says that nothing asks policies of this type yet; `closed`, that an active rule asks ' +
  'for what cannot be told or checked yet, so that nobody gets in by it.';

export const PolicySchema = Type.Object(
  {
    id: Type.String(),
    status: Status,
    name: Type.String(),
    description: Type.Union([Type.String(), Type.Null()]),
    priority: Type.Integer(),
    system: Type.Boolean({
      description: 'Whether it is the default policy of its type, which always comes last and cannot be deleted.',
    }),
    conditions: Type.Union([Document, Type.Null()]),
    created: DateTime,
    lastUpdated: DateTime,
    settings: Type.Optional(Document),
    _embedded: Type.Optional(Document),
    _links: Document,
    type: Type.String(),
  },
  { description: Evaluation },
);

export const PolicyListSchema = Type.Array(
  Type.Object(
    { ...PolicySchema.properties, description: Type.Optional(PolicySchema.properties.description) },
    { description: Evaluation },
  ),
);

export const PolicyRuleSchema = Type.Object(
  {
    id: Type.String(),
    status: Status,
    name: Type.String(),
    priority: Type.Integer(),
    created: DateTime,
    lastUpdated: DateTime,
    system: Type.Boolean({
      description: 'Whether it is the default rule, which always comes last and cannot be deleted.',
    }),
    conditions: Type.Union([Document, Type.Null()], {
      description: 'The conditions. `null` means that the rule applies to everybody.',
    }),
    actions: Document,
    _links: Document,
    type: Type.String(),
  },
  { description: Evaluation },
);

export const PolicyRuleListSchema = Type.Array(PolicyRuleSchema);

export const PolicyMappingBody = Type.Object({
  resourceId: Type.String({ description: 'The id of the app to which the policy will apply.' }),
  resourceType: Type.Optional(
    Type.Unsafe<'ACCESS_POLICY' | 'APP'>({
      type: 'string',
      enum: ['ACCESS_POLICY', 'APP'],
      description: 'The type of the resource. Both values stand for an app.',
    }),
  ),
});
export type PolicyMappingInput = Static<typeof PolicyMappingBody>;

export const PolicyMappingSchema = Type.Object({ id: Type.String(), _links: Document });
export const PolicyMappingListSchema = Type.Array(PolicyMappingSchema);

/** Apps in the form that `/api/v1/apps` returns. */
export const PolicyAppListSchema = Type.Array(Type.Object({ id: Type.String() }, { additionalProperties: true }));

const Ids = Type.Object({ ids: Type.Array(Type.String(), { maxItems: 100 }) });

const PolicyContextBody = Type.Object({
  user: orNull(Type.Object({ id: Type.String() })),
  groups: orNull(Ids),
  ip: orNull(Type.String({ description: 'The IP address of the client. The service determines its zones.' })),
  zones: orNull(Ids),
  risk: orNull(Document),
  device: orNull(Document),
});

export const SimulationBody = Type.Array(
  Type.Object({
    appInstance: Type.String(),
    policyTypes: orNull(Type.Array(Type.String(), { maxItems: 12 })),
    policyType: orNull(
      Type.Array(Type.String(), { maxItems: 12, description: 'The same as `policyTypes`, as some clients call it.' }),
    ),
    policyContext: orNull(PolicyContextBody),
  }),
  { maxItems: 20 },
);
export type SimulationInput = Static<typeof SimulationBody>[number];

const MatchStatus = Type.String({
  description:
    'The result: `MATCH`, `NOT_MATCH`, or `UNDEFINED` if it depends on something that the request leaves out.',
});
const Simulated = Type.Object({ policies: Type.Array(Document) });

export const SimulationSchema = Type.Array(
  Type.Object({
    status: MatchStatus,
    policyType: Type.Array(Type.String()),
    result: Simulated,
    undefined: Simulated,
    evaluated: Simulated,
  }),
);
