import { type AnyRoute, route, versioned } from '../../platform/http/index.ts';
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

const common = { tag: 'Schema', access: 'authenticated', bucket: 'management', cors: false } as const;
const reading = { ...common, scopes: ['schemas.read'], permission: 'schemas.read' } as const;
const managing = { ...common, scopes: ['schemas.manage'], permission: 'schemas.manage' } as const;
const userUrl = '/api/v1/meta/schemas/user/:schemaId';
const groupUrl = '/api/v1/meta/schemas/group/default';
const appUrl = '/api/v1/meta/schemas/apps/:appId/default';

const getUserRoute = ({ db }: SchemaRoutesPorts): AnyRoute =>
  route({
    ...reading,
    operationId: 'getUserSchema',
    method: 'GET',
    url: userUrl,
    summary: 'Retrieve a user schema',
    params: SchemaIdParams,
    response: { status: 200, schema: UserSchemaSchema },
    errors: ['E0000007'],
    handler: async ({ context, params }) => {
      const type = await getUserSchema(db, context, params.schemaId);
      return versioned(userSchemaVersion(type), wireUserSchema(type, context));
    },
  });

const updateUserRoute = (ports: SchemaRoutesPorts): AnyRoute =>
  route({
    ...managing,
    operationId: 'updateUserProfile',
    bodyLimit: BODY_LIMIT,
    method: 'POST',
    url: userUrl,
    summary: 'Update a user schema',
    params: SchemaIdParams,
    body: SchemaUpdateBody,
    response: { status: 200, schema: UserSchemaSchema },
    errors: ['E0000001', 'E0000007'],
    conditional: true,
    handler: async ({ context, params, body }) => {
      const type = await updateUserSchema(ports, context, params.schemaId, body);
      return versioned(userSchemaVersion(type), wireUserSchema(type, context));
    },
  });

const getGroupRoute = ({ db }: SchemaRoutesPorts): AnyRoute =>
  route({
    ...reading,
    operationId: 'getGroupSchema',
    method: 'GET',
    url: groupUrl,
    summary: 'Retrieve the schema of groups',
    response: { status: 200, schema: GroupSchemaSchema },
    errors: [],
    handler: async ({ context }) => {
      const schema = await getGroupSchema(db, context);
      return versioned(groupSchemaVersion(schema.row), wireGroupSchema(schema, context));
    },
  });

const updateGroupRoute = (ports: SchemaRoutesPorts): AnyRoute =>
  route({
    ...managing,
    operationId: 'updateGroupSchema',
    bodyLimit: BODY_LIMIT,
    method: 'POST',
    url: groupUrl,
    summary: 'Update the schema of groups',
    body: SchemaUpdateBody,
    response: { status: 200, schema: GroupSchemaSchema },
    errors: ['E0000001'],
    conditional: true,
    handler: async ({ context, body }) => {
      const row = await updateGroupSchema(ports, context, body);
      const { createdAt } = await getGroupSchema(ports.db, context);
      const answered = wireGroupSchema({ row, createdAt }, context);
      return versioned(groupSchemaVersion(row), answered);
    },
  });

const getAppUserRoute = ({ appFacts, db }: SchemaRoutesPorts): AnyRoute =>
  route({
    ...reading,
    operationId: 'getApplicationUserSchema',
    method: 'GET',
    url: appUrl,
    summary: "Retrieve the schema of an app's users",
    params: AppIdParams,
    response: { status: 200, schema: AppUserSchemaSchema },
    errors: ['E0000007'],
    handler: async ({ context, params }) => {
      const schema = await getAppUserSchema(appFacts, db, context, params.appId);
      const { app, row } = schema;
      return versioned(appUserSchemaVersion(app.id, row), wireAppUserSchema(schema, context));
    },
  });

const updateAppUserRoute = (ports: SchemaRoutesPorts): AnyRoute =>
  route({
    ...managing,
    operationId: 'updateApplicationUserProfile',
    bodyLimit: BODY_LIMIT,
    method: 'POST',
    url: appUrl,
    summary: "Update the schema of an app's users",
    params: AppIdParams,
    body: SchemaUpdateBody,
    response: { status: 200, schema: AppUserSchemaSchema },
    errors: ['E0000001', 'E0000007'],
    conditional: true,
    handler: async ({ context, params, body }) => {
      const schema = await updateAppUserSchema(ports, context, params.appId, body);
      const version = appUserSchemaVersion(schema.app.id, schema.row);
      return versioned(version, wireAppUserSchema(schema, context));
    },
  });

/** User types and all schemas (contract section 15). */
export const schemaRoutes = (ports: SchemaRoutesPorts): AnyRoute[] => [
  getUserRoute(ports),
  updateUserRoute(ports),
  getGroupRoute(ports),
  updateGroupRoute(ports),
  getAppUserRoute(ports),
  updateAppUserRoute(ports),
  ...typeRoutes(ports),
];
