import { type AnyRoute, ok, route } from '../../platform/http/index.ts';
import type { Db } from '../../platform/postgres/index.ts';
import type { Work } from '../../system-log/index.ts';
import {
  SchemaIdParams,
  TypeIdParams,
  UserSchemaSchema,
  UserSchemaUpdateBody,
  UserTypeListSchema,
  UserTypeSchema,
} from './contract.ts';
import { getUserSchema, getUserType, listUserTypes } from './get-user-type.ts';
import { updateUserSchema } from './update-user-schema.ts';
import { wireUserSchema, wireUserType } from './wire.ts';

export interface SchemaRoutesPorts {
  readonly db: Db;
  readonly work: Work;
}

const common = { access: 'authenticated', bucket: 'management', cors: false } as const;
const schemaUrl = '/api/v1/meta/schemas/user/:schemaId';
const typesUrl = '/api/v1/meta/types/user';

const getSchemaRoute = ({ db }: SchemaRoutesPorts): AnyRoute =>
  route({
    ...common,
    operationId: 'getUserSchema',
    tag: 'Schema',
    scopes: ['schemas.read'],
    permission: 'schemas.read',
    method: 'GET',
    url: schemaUrl,
    summary: 'Retrieve a user schema',
    params: SchemaIdParams,
    response: { status: 200, schema: UserSchemaSchema },
    errors: ['E0000007'],
    handler: async ({ context, params }) =>
      ok(wireUserSchema(await getUserSchema(db, context, params.schemaId), context)),
  });

const updateSchemaRoute = ({ work }: SchemaRoutesPorts): AnyRoute =>
  route({
    ...common,
    operationId: 'updateUserProfile',
    tag: 'Schema',
    scopes: ['schemas.manage'],
    permission: 'schemas.manage',
    method: 'POST',
    url: schemaUrl,
    summary: 'Update a user schema',
    params: SchemaIdParams,
    body: UserSchemaUpdateBody,
    response: { status: 200, schema: UserSchemaSchema },
    errors: ['E0000001', 'E0000007'],
    handler: async ({ context, params, body }) =>
      ok(wireUserSchema(await updateUserSchema(work, context, params.schemaId, body), context)),
  });

const listTypesRoute = ({ db }: SchemaRoutesPorts): AnyRoute =>
  route({
    ...common,
    operationId: 'listUserTypes',
    tag: 'UserType',
    scopes: ['userTypes.read'],
    permission: 'schemas.read',
    method: 'GET',
    url: typesUrl,
    summary: 'List all user types',
    response: { status: 200, schema: UserTypeListSchema },
    errors: [],
    handler: async ({ context }) => ok((await listUserTypes(db, context)).map((type) => wireUserType(type, context))),
  });

const getTypeRoute = ({ db }: SchemaRoutesPorts): AnyRoute =>
  route({
    ...common,
    operationId: 'getUserType',
    tag: 'UserType',
    scopes: ['userTypes.read'],
    permission: 'schemas.read',
    method: 'GET',
    url: `${typesUrl}/:typeId`,
    summary: 'Retrieve a user type',
    params: TypeIdParams,
    response: { status: 200, schema: UserTypeSchema },
    errors: ['E0000007'],
    handler: async ({ context, params }) => ok(wireUserType(await getUserType(db, context, params.typeId), context)),
  });

export const schemaRoutes = (ports: SchemaRoutesPorts): AnyRoute[] => [
  getSchemaRoute(ports),
  updateSchemaRoute(ports),
  listTypesRoute(ports),
  getTypeRoute(ports),
];
