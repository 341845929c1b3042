import { type AnyRoute, resourceRoutes } from '../../platform/http/index.ts';
import type { Db } from '../../platform/postgres/index.ts';
import { type SchemaPorts, updateAppUserSchema, updateGroupSchema, updateUserSchema } from './changes/update-schema.ts';
import {
  AppIdParams,
  AppUserSchemaSchema,
  GroupSchemaSchema,
  SchemaIdParams,
  SchemaUpdateBody,
  UserSchemaSchema,
} from './contract.ts';
import { getAppUserSchema, getGroupSchema, getUserSchema } from './get-schema.ts';
import { typeRoutes } from './types/type-routes.ts';
import { appUserSchemaVersion, groupSchemaVersion, userSchemaVersion } from './versions.ts';
import { wireAppUserSchema, wireGroupSchema, wireUserSchema } from './wire.ts';

const BODY_LIMIT = {
  bytes: 1_048_576,
  reason: 'Up to 500 attributes with their texts, and up to 1,000 choices each.',
};

export interface SchemaRoutesPorts extends SchemaPorts {
  readonly db: Db;
}

const userSchemas = resourceRoutes({
  tag: 'Schema',
  name: 'UserSchema',
  one: 'a user schema',
  scope: 'schemas',
  url: '/api/v1/meta/schemas/user/:schemaId',
  params: SchemaIdParams,
  schema: UserSchemaSchema,
  wire: wireUserSchema,
  version: userSchemaVersion,
});

const groupSchemas = resourceRoutes({
  tag: 'Schema',
  name: 'GroupSchema',
  one: 'the schema of groups',
  scope: 'schemas',
  url: '/api/v1/meta/schemas/group/default',
  schema: GroupSchemaSchema,
  wire: wireGroupSchema,
  version: ({ row }) => groupSchemaVersion(row),
});

const appUserSchemas = resourceRoutes({
  tag: 'Schema',
  name: 'ApplicationUserSchema',
  one: "the schema of an app's users",
  scope: 'schemas',
  url: '/api/v1/meta/schemas/apps/:appId/default',
  params: AppIdParams,
  schema: AppUserSchemaSchema,
  wire: wireAppUserSchema,
  version: ({ app, row }) => appUserSchemaVersion(app.id, row),
});

export const schemaRoutes = (ports: SchemaRoutesPorts): AnyRoute[] => [
  userSchemas.get({
    use: ({ context, params }) => getUserSchema(ports.db, context, params.schemaId),
  }),
  userSchemas.update({
    operationId: 'updateUserProfile',
    body: SchemaUpdateBody,
    bodyLimit: BODY_LIMIT,
    use: ({ context, params, body }) => updateUserSchema(ports, context, params.schemaId, body),
  }),
  groupSchemas.get({
    use: ({ context }) => getGroupSchema(ports.db, context),
  }),
  groupSchemas.update({
    body: SchemaUpdateBody,
    bodyLimit: BODY_LIMIT,
    use: async ({ context, body }) => {
      const row = await updateGroupSchema(ports, context, body);
      const { createdAt } = await getGroupSchema(ports.db, context);
      return { row, createdAt };
    },
  }),
  appUserSchemas.get({
    use: ({ context, params }) => getAppUserSchema(ports.appFacts, ports.db, context, params.appId),
  }),
  appUserSchemas.update({
    operationId: 'updateApplicationUserProfile',
    body: SchemaUpdateBody,
    bodyLimit: BODY_LIMIT,
    use: ({ context, params, body }) => updateAppUserSchema(ports, context, params.appId, body),
  }),
  ...typeRoutes(ports),
];
