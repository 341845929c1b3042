import { type Static, Type } from '@sinclair/typebox';
import { POLICY_STATUSES, type PolicyStatus } from './lifecycle.ts';

export const PolicyIdParams = Type.Object({ policyId: Type.String() });
export const PolicyRuleIdParams = Type.Object({ policyId: Type.String(), ruleId: Type.String() });

const Status = Type.Unsafe<PolicyStatus>({ type: 'string', enum: [...POLICY_STATUSES] });
const Document = Type.Record(Type.String(), Type.Unknown());
const DateTime = Type.String({ format: 'date-time' });
const orNull = <Schema extends Parameters<typeof Type.Optional>[0]>(schema: Schema) =>
  Type.Optional(Type.Union([schema, Type.Null()]));

const Priority = Type.Integer({
  description: 'Place among the others, from 1; by default the last before the default.',
});

export const PolicyBody = Type.Object({
  type: Type.Optional(Type.String({ description: 'The kind of policy; a policy keeps its type.' })),
  name: Type.String({ description: 'Unique among the policies of the type; at most 255 characters.' }),
  description: orNull(Type.String()),
  priority: orNull(Priority),
  status: orNull(Status),
  conditions: orNull(Document),
  settings: orNull(Document),
});
export type PolicyInput = Static<typeof PolicyBody>;

export const PolicyRuleBody = Type.Object({
  type: orNull(Type.String({ description: 'SIGN_ON or IDP_DISCOVERY: that of the policy.' })),
  name: Type.String({ description: 'Unique in the policy; at most 255 characters.' }),
  priority: orNull(Priority),
  status: orNull(Status),
  conditions: orNull(Document),
  actions: orNull(Document),
});
export type PolicyRuleInput = Static<typeof PolicyRuleBody>;

export const PolicySchema = Type.Object({
  id: Type.String(),
  status: Status,
  name: Type.String(),
  description: Type.Union([Type.String(), Type.Null()]),
  priority: Type.Integer(),
  system: Type.Boolean({ description: 'The default policy of its type: always the last, and never deleted.' }),
  conditions: Type.Union([Document, Type.Null()]),
  created: DateTime,
  lastUpdated: DateTime,
  _links: Document,
  type: Type.String(),
});

export const PolicyListSchema = Type.Array(PolicySchema);

export const PolicyRuleSchema = Type.Object({
  id: Type.String(),
  status: Status,
  name: Type.String(),
  priority: Type.Integer(),
  created: DateTime,
  lastUpdated: DateTime,
  system: Type.Boolean({ description: 'The default rule: always the last, and never deleted.' }),
  conditions: Document,
  actions: Document,
  _links: Document,
  type: Type.String(),
});

export const PolicyRuleListSchema = Type.Array(PolicyRuleSchema);
