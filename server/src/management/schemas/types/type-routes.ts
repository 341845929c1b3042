import { type AnyRoute, resourceRoutes } from '../../../platform/http/index.ts';
import type { Foundation } from '../../../system-log/index.ts';
import {
  CreateUserTypeBody,
  ReplaceUserTypeBody,
  TypeIdParams,
  UpdateUserTypeBody,
  UserTypeListSchema,
  UserTypeSchema,
} from '../contract.ts';
import { typeVersion } from '../versions.ts';
import { wireUserType } from '../wire.ts';
import { createUserType } from './create-user-type.ts';
import { deleteUserType } from './delete-user-type.ts';
import { getUserType, listUserTypes } from './get-user-type.ts';
import { updateUserType } from './update-user-type.ts';

type TypePorts = Pick<Foundation, 'db' | 'work'>;

const types = resourceRoutes({
  tag: 'UserType',
  name: 'UserType',
  one: 'a user type',
  all: 'all user types',
  scope: 'userTypes',
  permission: 'schemas',
  url: '/api/v1/meta/types/user/:typeId',
  params: TypeIdParams,
  schema: UserTypeSchema,
  wire: wireUserType,
  version: typeVersion,
});

export const typeRoutes = (ports: TypePorts): AnyRoute[] => [
  types.list({
    schema: UserTypeListSchema,
    use: ({ context }) => listUserTypes(ports.db, context),
  }),
  types.create({
    body: CreateUserTypeBody,
    use: ({ context, body }) => createUserType(ports.work, context, body),
  }),
  types.get({
    use: ({ context, params }) => getUserType(ports.db, context, params.typeId),
  }),
  types.update({
    body: UpdateUserTypeBody,
    use: ({ context, params, body }) => updateUserType(ports.work, context, params.typeId, body),
  }),
  types.replace({
    body: ReplaceUserTypeBody,
    use: ({ context, params, body }) => updateUserType(ports.work, context, params.typeId, body),
  }),
  types.delete({
    errors: ['E0000001'],
    use: ({ context, params }) => deleteUserType(ports.work, context, params.typeId),
  }),
];
