import type { Context } from '../../kernel/context.ts';
import { wireDate } from '../../kernel/dates.ts';
import type { Target } from '../../system-log/index.ts';
import { BASE_PROFILE_ATTRIBUTES, type ProfileAttribute, profileSchema } from './base-profile.ts';
import type { BaseDefinitions, RequiredOverrides } from './rules.ts';
import type { UserType } from './store.ts';

const link = (rel: string, href: string) => ({ rel, href, method: 'GET' });

const schemaLink = (rel: string, type: UserType, context: Context) =>
  link(rel, `${context.baseUrl}/api/v1/meta/schemas/user/${type.schemaId}`);

const typeLink = (rel: string, type: UserType, context: Context) =>
  link(rel, `${context.baseUrl}/api/v1/meta/types/user/${type.id}`);

/** `required` is printed where it holds only (contract section 15). */
function wireAttribute({ title, type, required, format, minLength, maxLength, ...rest }: ProfileAttribute) {
  return {
    title,
    type,
    ...(required ? { required } : {}),
    ...(format === undefined ? {} : { format }),
    mutability: rest.mutability,
    scope: rest.scope,
    ...(minLength === undefined ? {} : { minLength }),
    ...(maxLength === undefined ? {} : { maxLength }),
    permissions: rest.permissions,
  };
}

/** The base attributes as the schema prints them, with what the org changed. */
export const baseDefinitions = (overrides: RequiredOverrides): BaseDefinitions =>
  Object.fromEntries([...profileSchema(overrides)].map(([name, attribute]) => [name, wireAttribute(attribute)]));

/** The order in which the contract lists them. */
const REQUIRED_ORDER = [
  'login',
  'email',
  'firstName',
  'lastName',
] as const satisfies readonly (keyof typeof BASE_PROFILE_ATTRIBUTES)[];

/** A user schema as the wire has it; its `id` is a URI that clients compare, not an address (contract section 15). */
export function wireUserSchema(type: UserType, context: Context): Record<string, unknown> {
  const schema = profileSchema(type.overrides);
  return {
    id: `${context.baseUrl}/meta/schemas/user/${type.isDefault ? 'default' : type.schemaId}`,
    $schema: 'http://json-schema.org/draft-04/schema#',
    name: type.name,
    title: type.displayName,
    description: type.description,
    lastUpdated: wireDate(type.lastUpdatedAt),
    created: wireDate(type.createdAt),
    definitions: {
      custom: { id: '#custom', type: 'object', properties: {}, required: [] },
      base: {
        id: '#base',
        type: 'object',
        properties: baseDefinitions(type.overrides),
        required: REQUIRED_ORDER.filter((name) => schema.get(name)?.required === true),
      },
    },
    type: 'object',
    properties: { profile: { allOf: [{ $ref: '#/definitions/custom' }, { $ref: '#/definitions/base' }] } },
    _links: { self: schemaLink('self', type, context), type: typeLink('type', type, context) },
  };
}

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

const requiredOf = (overrides: RequiredOverrides): Record<string, boolean> => {
  const schema = profileSchema(overrides);
  return Object.fromEntries(['firstName', 'lastName'].map((name) => [name, schema.get(name)?.required === true]));
};

/** The schema as events name it, with what became of the attributes that may change. */
export const schemaTarget = (before: UserType, after: UserType): Target => ({
  id: after.schemaId,
  type: 'UserSchema',
  alternateId: after.name,
  displayName: after.displayName,
  changeDetails: { from: { required: requiredOf(before.overrides) }, to: { required: requiredOf(after.overrides) } },
});
