import type { Context } from '../../../kernel/context.ts';
import { type Answer, type AnyRoute, noContent, ok, route, versioned } from '../../../platform/http/index.ts';
import type { Foundation } from '../../../system-log/index.ts';
import {
  CreateUserTypeBody,
  ReplaceUserTypeBody,
  TypeIdParams,
  UpdateUserTypeBody,
  UserTypeListSchema,
  UserTypeSchema,
} from '../contract.ts';
import type { UserType } from '../store.ts';
import { typeVersion } from '../versions.ts';
import { wireUserType } from '../wire.ts';
import { createUserType } from './create-user-type.ts';
import { deleteUserType } from './delete-user-type.ts';
import { getUserType, listUserTypes } from './get-user-type.ts';
import { updateUserType } from './update-user-type.ts';

type TypePorts = Pick<Foundation, 'db' | 'work'>;

const answer = (context: Context, type: UserType): Answer => versioned(typeVersion(type), wireUserType(type, context));

const common = { tag: 'UserType', access: 'authenticated', bucket: 'management', cors: false } as const;
const reading = { ...common, scopes: ['userTypes.read'], permission: 'schemas.read' } as const;
const managing = { ...common, scopes: ['userTypes.manage'], permission: 'schemas.manage' } as const;
const collection = '/api/v1/meta/types/user';
const single = `${collection}/:typeId`;

const listRoute = ({ db }: TypePorts): AnyRoute =>
  route({
    ...reading,
    operationId: 'listUserTypes',
    method: 'GET',
    url: collection,
    summary: 'List all user types',
    response: { status: 200, schema: UserTypeListSchema },
    errors: [],
    handler: async ({ context }) => ok((await listUserTypes(db, context)).map((type) => wireUserType(type, context))),
  });

const createRoute = ({ work }: TypePorts): AnyRoute =>
  route({
    ...managing,
    operationId: 'createUserType',
    method: 'POST',
    url: collection,
    summary: 'Create a user type',
    body: CreateUserTypeBody,
    idempotent: true,
    response: { status: 200, schema: UserTypeSchema },
    errors: ['E0000001', 'E0000195'],
    handler: async ({ context, body }) => answer(context, await createUserType(work, context, body)),
  });

const getRoute = ({ db }: TypePorts): AnyRoute =>
  route({
    ...reading,
    operationId: 'getUserType',
    method: 'GET',
    url: single,
    summary: 'Retrieve a user type',
    params: TypeIdParams,
    response: { status: 200, schema: UserTypeSchema },
    errors: ['E0000007'],
    handler: async ({ context, params }) => answer(context, await getUserType(db, context, params.typeId)),
  });

const updateRoute = ({ work }: TypePorts): AnyRoute =>
  route({
    ...managing,
    operationId: 'updateUserType',
    method: 'POST',
    url: single,
    summary: 'Update a user type: what is left out stays',
    params: TypeIdParams,
    body: UpdateUserTypeBody,
    response: { status: 200, schema: UserTypeSchema },
    errors: ['E0000001', 'E0000007'],
    conditional: true,
    handler: async ({ context, params, body }) => {
      return answer(context, await updateUserType(work, context, params.typeId, body));
    },
  });

const replaceRoute = ({ work }: TypePorts): AnyRoute =>
  route({
    ...managing,
    operationId: 'replaceUserType',
    method: 'PUT',
    url: single,
    summary: 'Replace a user type',
    params: TypeIdParams,
    body: ReplaceUserTypeBody,
    response: { status: 200, schema: UserTypeSchema },
    errors: ['E0000001', 'E0000007'],
    conditional: true,
    handler: async ({ context, params, body }) => {
      return answer(context, await updateUserType(work, context, params.typeId, body));
    },
  });

const deleteRoute = ({ work }: TypePorts): AnyRoute =>
  route({
    ...managing,
    operationId: 'deleteUserType',
    method: 'DELETE',
    url: single,
    summary: 'Delete a user type that no user has',
    params: TypeIdParams,
    response: { status: 204, schema: null },
    errors: ['E0000001', 'E0000007'],
    conditional: true,
    handler: async ({ context, params }) => {
      await deleteUserType(work, context, params.typeId);
      return noContent();
    },
  });

/** User types (contract section 15). */
export const typeRoutes = (ports: TypePorts): AnyRoute[] => [
  listRoute(ports),
  createRoute(ports),
  getRoute(ports),
  updateRoute(ports),
  replaceRoute(ports),
  deleteRoute(ports),
];
