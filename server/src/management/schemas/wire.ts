import type { Context } from '../../kernel/context.ts';
import { wireDate } from '../../kernel/texts/dates.ts';
import { changeTarget, type Json, type JsonObject, type Target } from '../../system-log/index.ts';
import type { CustomAttribute, ProfileSchema } from './attributes/attribute.ts';
import { profileSchema } from './attributes/base-profile.ts';
import { type AttributeDefinition, type SchemaKind, wireAttribute } from './attributes/wire-attribute.ts';
import { type AppFacts, appUserAttributes } from './profiles/app-user-profile.ts';
import { GROUP_PROFILE_ATTRIBUTES } from './profiles/group-profile.ts';
import type { ProfileSchemaRow } from './profiles/profile-schema-store.ts';
import type { UserType } from './store.ts';

const link = (rel: string, href: string) => ({ rel, href, method: 'GET' });

const schemaLink = (rel: string, type: UserType, context: Context) =>
  link(rel, `${context.baseUrl}/api/v1/meta/schemas/user/${type.schemaId}`);

const typeLink = (rel: string, type: UserType, context: Context) =>
  link(rel, `${context.baseUrl}/api/v1/meta/types/user/${type.id}`);

/** The order in which the contract lists required base attributes of users. */
const REQUIRED_ORDER = ['login', 'email', 'firstName', 'lastName'];

interface Printed {
  readonly kind: SchemaKind;
  readonly base: ProfileSchema;
  readonly custom: readonly CustomAttribute[];
}

const definitionsOf = (
  attributes: ProfileSchema,
  kind: SchemaKind,
  { namespace }: Context,
): Readonly<Record<string, AttributeDefinition>> =>
  Object.fromEntries([...attributes].map(([name, one]) => [name, wireAttribute(one, kind, namespace.upper)]));

const requiredOf = (attributes: ProfileSchema): string[] =>
  [...attributes].filter(([, { required }]) => required).map(([name]) => name);

function wireDefinitions({ base, custom, kind }: Printed, context: Context): Record<string, unknown> {
  const added: ProfileSchema = new Map(custom.map(({ definition, name }) => [name, definition]));
  const required = requiredOf(base).toSorted(
    (one, other) => REQUIRED_ORDER.indexOf(one) - REQUIRED_ORDER.indexOf(other),
  );
  return {
    definitions: {
      custom: {
        id: '#custom',
        type: 'object',
        properties: definitionsOf(added, kind, context),
        required: requiredOf(added),
      },
      base: { id: '#base', type: 'object', properties: definitionsOf(base, kind, context), required },
    },
    type: 'object',
    properties: { profile: { allOf: [{ $ref: '#/definitions/custom' }, { $ref: '#/definitions/base' }] } },
  };
}

const DRAFT = 'http://json-schema.org/draft-04/schema#';

/** The `id` lacks `/api/v1`, as in the contract (section 15). */
export const wireUserSchema = (type: UserType, context: Context): Record<string, unknown> => ({
  id: `${context.baseUrl}/meta/schemas/user/${type.isDefault ? 'default' : type.schemaId}`,
  $schema: DRAFT,
  name: type.name,
  title: type.displayName,
  description: type.description,
  lastUpdated: wireDate(type.lastUpdatedAt),
  created: wireDate(type.createdAt),
  ...wireDefinitions({ kind: 'USER', base: profileSchema(type.overrides), custom: type.custom }, context),
  _links: { self: schemaLink('self', type, context), type: typeLink('type', type, context) },
});

/** `row` is undefined if the schema was never changed. */
export interface OwnedSchema {
  readonly row: ProfileSchemaRow | undefined;
  readonly createdAt: Date;
}

export const wireGroupSchema = ({ createdAt, row }: OwnedSchema, context: Context): Record<string, unknown> => ({
  id: `${context.baseUrl}/meta/schemas/group/default`,
  $schema: DRAFT,
  name: 'group',
  title: `${context.namespace.capitalised} group`,
  description: `${context.namespace.capitalised} group profile template`,
  lastUpdated: wireDate(row?.lastUpdatedAt ?? createdAt),
  created: wireDate(createdAt),
  ...wireDefinitions({ kind: 'GROUP', base: GROUP_PROFILE_ATTRIBUTES, custom: row?.custom ?? [] }, context),
  _links: { self: link('self', `${context.baseUrl}/api/v1/meta/schemas/group/default`) },
});

export const wireAppUserSchema = (
  { app, row }: { readonly app: AppFacts; readonly row: ProfileSchemaRow | undefined },
  context: Context,
): Record<string, unknown> => ({
  id: `${context.baseUrl}/meta/schemas/apps/${app.id}/default`,
  $schema: DRAFT,
  name: app.name,
  title: `${app.label} User`,
  lastUpdated: wireDate(row?.lastUpdatedAt ?? app.createdAt),
  created: wireDate(app.createdAt),
  ...wireDefinitions({ kind: 'APP_USER', base: appUserAttributes(app.kind), custom: row?.custom ?? [] }, context),
});

export const wireUserType = (type: UserType, context: Context): Record<string, unknown> => ({
  id: type.id,
  displayName: type.displayName,
  name: type.name,
  description: type.description,
  createdBy: type.createdBy,
  lastUpdatedBy: type.lastUpdatedBy,
  created: wireDate(type.createdAt),
  lastUpdated: wireDate(type.lastUpdatedAt),
  default: type.isDefault,
  _links: { schema: schemaLink('schema', type, context), self: typeLink('self', type, context) },
});

const toldAttributes = (custom: readonly CustomAttribute[]): JsonObject =>
  Object.fromEntries(
    custom.map(({ definition, name }) => [`custom.${name}`, Object.fromEntries(Object.entries(definition)) as Json]),
  );

function toldBase(type: UserType): JsonObject {
  const schema = profileSchema(type.overrides);
  const required = Object.fromEntries(
    ['firstName', 'lastName'].map((name) => [name, schema.get(name)?.required === true]),
  );
  const others = Object.entries(type.overrides).flatMap(([name, { required: _required, ...override }]) =>
    Object.keys(override).length === 0 ? [] : [[`base.${name}`, override as Json] as const],
  );
  return { required, ...Object.fromEntries(others) };
}

export const userSchemaChange = changeTarget(
  (type: UserType): Target => ({
    id: type.schemaId,
    type: 'UserSchema',
    alternateId: type.name,
    displayName: type.displayName,
  }),
  (type) => ({ ...toldBase(type), ...toldAttributes(type.custom) }),
);

export interface OwnedChange {
  readonly custom: readonly CustomAttribute[];
}

export const groupSchemaChange = changeTarget(
  (): Target => ({ id: 'group', type: 'GroupSchema', alternateId: 'group', displayName: 'Group' }),
  ({ custom }: OwnedChange) => toldAttributes(custom),
);

export const appUserSchemaChange = changeTarget(
  (_: OwnedChange, app: AppFacts): Target => ({
    id: app.id,
    type: 'AppUserSchema',
    alternateId: app.name,
    displayName: app.label,
  }),
  ({ custom }: OwnedChange) => toldAttributes(custom),
);

export const userTypeChange = changeTarget(
  (type: UserType): Target => ({
    id: type.id,
    type: 'UserType',
    alternateId: type.name,
    displayName: type.displayName,
  }),
  ({ description, displayName, name }) => ({ name, displayName, description }),
);
