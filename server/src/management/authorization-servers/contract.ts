import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { AUTHORIZATION_SERVER_STATUSES, type AuthorizationServerStatus } from './lifecycle.ts';

const Id = Type.String();
export const ServerParams = Type.Object({ authServerId: Id });
export const ScopeParams = Type.Object({ authServerId: Id, scopeId: Id });
export const ClaimParams = Type.Object({ authServerId: Id, claimId: Id });
export const ServerPolicyParams = Type.Object({ authServerId: Id, serverPolicyId: Id });
export const ServerRuleParams = Type.Object({ authServerId: Id, serverPolicyId: Id, serverRuleId: Id });
export const AssociatedServerParams = Type.Object({ authServerId: Id, associatedServerId: Id });

const Status = Type.Unsafe<AuthorizationServerStatus>({ type: 'string', enum: [...AUTHORIZATION_SERVER_STATUSES] });
const Document = Type.Record(Type.String(), Type.Unknown());
const DateTime = Type.String({ format: 'date-time' });
const orNull = <Schema extends TSchema>(schema: Schema) => Type.Optional(Type.Union([schema, Type.Null()]));
const text = (description: string) => orNull(Type.String({ description }));
const Priority = orNull(
  Type.Integer({ description: 'The place among the others, from 1. By default, it is the last.' }),
);

export const ServerBody = Type.Object({
  name: Type.String({ description: 'It is unique in the org and has at most 255 characters.' }),
  description: orNull(Type.String()),
  audiences: Type.Array(Type.String(), { description: 'Exactly one audience, which is the `aud` of access tokens.' }),
  issuerMode: text('How the issuer is formed: `ORG_URL` or `DYNAMIC`.'),
  credentials: orNull(Document),
  status: orNull(Status),
  accessTokenEncryptedResponseAlgorithm: Type.Optional(
    Type.Unknown({ description: 'Not supported yet. A request with this member is refused.' }),
  ),
  jwks: Type.Optional(Type.Unknown({ description: 'Not supported yet. A request with this member is refused.' })),
  jwks_uri: Type.Optional(Type.Unknown({ description: 'Not supported yet. A request with this member is refused.' })),
});
export type ServerInput = Static<typeof ServerBody>;

export const ServerSchema = Type.Object({
  id: Id,
  name: Type.String(),
  description: Type.String(),
  audiences: Type.Array(Type.String()),
  issuer: Type.String(),
  issuerMode: Type.String(),
  status: Status,
  created: DateTime,
  lastUpdated: DateTime,
  credentials: Document,
  default: Type.Boolean({ description: 'Whether `default` in a path stands for this server.' }),
  _links: Document,
});
export const ServerListSchema = Type.Array(ServerSchema);

export const TrustBody = Type.Object({
  trusted: orNull(
    Type.Array(Type.String(), { description: 'The ids of authorization servers of the org, at most 100.' }),
  ),
});
export type TrustInput = Static<typeof TrustBody>;

export const ScopeBody = Type.Object({
  name: Type.String({
    description: 'The name of the scope (RFC 6749 3.3). It is unique in the server and has at most 255 characters.',
  }),
  displayName: orNull(Type.String()),
  description: orNull(Type.String()),
  metadataPublish: text('Whether metadata lists the scope: `ALL_CLIENTS`, or `NO_CLIENTS` by default.'),
  consent: text('Whether users are asked for their consent: `IMPLICIT` (default), `REQUIRED` or `FLEXIBLE`.'),
  optional: orNull(
    Type.Boolean({ description: 'Whether users can decline the scope when they are asked for consent.' }),
  ),
  default: orNull(Type.Boolean({ description: 'Whether requests without a scope get it.' })),
});
export type ScopeInput = Static<typeof ScopeBody>;

export const ScopeSchema = Type.Object({
  id: Id,
  name: Type.String(),
  displayName: Type.Optional(Type.String()),
  description: Type.Optional(Type.String()),
  system: Type.Boolean(),
  metadataPublish: Type.String(),
  consent: Type.String(),
  optional: Type.Boolean(),
  default: Type.Boolean(),
  _links: Document,
});
export const ScopeListSchema = Type.Array(ScopeSchema);

export const ClaimBody = Type.Object({
  name: text('It is unique among the claims of its type in the server and has at most 255 characters.'),
  status: orNull(Status),
  claimType: text('The tokens that get the claim: `RESOURCE` stands for access tokens, `IDENTITY` for ID tokens.'),
  valueType: text('How the value is determined: `EXPRESSION` or `GROUPS`.'),
  value: text('An expression, or the text with which names of groups are compared.'),
  group_filter_type: text('How names of `GROUPS` are compared: `STARTS_WITH`, `EQUALS`, `CONTAINS` or `REGEX`.'),
  conditions: orNull(Document),
  alwaysIncludeInToken: orNull(
    Type.Boolean({ description: 'Whether the claim is in all tokens. It is always `true` for `RESOURCE`.' }),
  ),
});
export type ClaimInput = Static<typeof ClaimBody>;

export const ClaimSchema = Type.Object({
  id: Id,
  name: Type.String(),
  status: Status,
  claimType: Type.String(),
  valueType: Type.String(),
  value: Type.Optional(Type.String()),
  group_filter_type: Type.Optional(Type.String()),
  conditions: Document,
  system: Type.Boolean(),
  alwaysIncludeInToken: Type.Boolean(),
  _links: Document,
});
export const ClaimListSchema = Type.Array(ClaimSchema);

export const ServerPolicyBody = Type.Object({
  type: text('The type of the policy, which is `OAUTH_AUTHORIZATION_POLICY`.'),
  name: Type.String({ description: 'It is unique in the server and has at most 100 characters.' }),
  description: orNull(Type.String()),
  priority: Priority,
  status: orNull(Status),
  conditions: orNull(Document),
});
export type ServerPolicyInput = Static<typeof ServerPolicyBody>;

const Placed = {
  id: Id,
  status: Status,
  name: Type.String(),
  priority: Type.Integer(),
  system: Type.Boolean(),
  conditions: Document,
  created: DateTime,
  lastUpdated: DateTime,
  _links: Document,
  type: Type.String(),
};

export const ServerPolicySchema = Type.Object({ ...Placed, description: Type.Optional(Type.String()) });
export const ServerPolicyListSchema = Type.Array(ServerPolicySchema);

export const ServerRuleBody = Type.Object({
  type: text('The type of the rule, which is `RESOURCE_ACCESS`.'),
  name: Type.String({ description: 'It is unique in the policy and has at most 100 characters.' }),
  priority: Priority,
  status: orNull(Status),
  conditions: orNull(Document),
  actions: orNull(Document),
});
export type ServerRuleInput = Static<typeof ServerRuleBody>;

export const ServerRuleSchema = Type.Object({ ...Placed, actions: Document });
export const ServerRuleListSchema = Type.Array(ServerRuleSchema);
