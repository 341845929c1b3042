import { apiError } from '../../../kernel/errors/errors.ts';
import {
  type AnyRoute,
  choice,
  expansion,
  flag,
  type HandlerInput,
  noContent,
  ok,
  optionalFlag,
  page,
  paging,
  responseModifiers,
  route,
  text,
} from '../../../platform/http/index.ts';
import { NEW_PROFILE_BODY, STORED_PROFILE_BODY } from '../../schemas/index.ts';
import {
  CreateUserBody,
  UpdateUserBody,
  type UpdateUserInput,
  UserBlockListSchema,
  UserDeviceListSchema,
  UserIdParams,
  UserListSchema,
  UserSchema,
} from '../contract.ts';
import { deleteUser } from '../lifecycle/delete-user.ts';
import { blocksOf, listBlocks } from '../lifecycle/list-blocks.ts';
import { listUsers } from '../profile/list-users.ts';
import { projected, readProjection } from '../profile/projection-rules.ts';
import { hiddenFromSelf, seesOnlyItself, withoutHidden } from '../profile/self-view.ts';
import { answerUser, type UserRoutesPorts } from '../route-ports.ts';
import { wireListedUser } from '../wire.ts';
import { assertMayCreate, createUser } from './create-user.ts';
import { getUser } from './get-user.ts';
import { updateUserProfile } from './update-user.ts';

const common = { tag: 'User', access: 'authenticated', cors: true, appliesGrant: true } as const;
const reading = { ...common, scopes: ['users.read'], permission: 'users.read' } as const;
const managing = { ...common, scopes: ['users.manage'], permission: 'users.manage' } as const;

type Headers = HandlerInput<never, never, never>['headers'];

const omissions = (headers: Headers, word: string): ReadonlySet<string> => {
  const contentType = headers['content-type'];
  return responseModifiers(Array.isArray(contentType) ? contentType[0] : contentType, word);
};

const listUsersRoute = (ports: UserRoutesPorts): AnyRoute =>
  route({
    ...reading,
    operationId: 'listUsers',
    method: 'GET',
    url: '/api/v1/users',
    summary: 'List all users',
    query: {
      q: text('Lists only users whose first name, last name or email starts with this text.', 256),
      filter: text(
        'A filter expression on id, status, lastUpdated, and login, email, firstName and lastName of the profile.',
        8_192,
      ),
      search: text('A search expression on any attribute of users.', 8_192),
      sortBy: text('The attribute by which a `search` is sorted.', 128),
      sortOrder: choice('The order of `sortBy`, which is ascending by default.', ['asc', 'desc', 'ASC', 'DESC']),
      ...paging({ default: 200, maximum: 200 }),
      fields: text(
        'The members to return, separated by commas. Profile attributes are written as `profile:(firstName,city)`.',
      ),
    },
    response: { status: 200, schema: UserListSchema },
    errors: ['E0000001', 'E0000031', 'E0000033', 'E0000037', 'E0000053'],
    bucket: 'users',
    handler: async ({ context, grant, query, rawQuery, headers }) => {
      const sortOrder = query.sortOrder?.toLowerCase();
      const projection = readProjection(query.fields);
      const { rows, links } = await listUsers(ports.users, context, grant, { ...query, sortOrder }, rawQuery);
      const omit = omissions(headers, context.namespace.word);
      return page(
        rows.map((user) => {
          const wire = wireListedUser(user, context, omit);
          return projection === null ? wire : projected(wire, projection);
        }),
        links,
      );
    },
  });

const createUserRoute = (ports: UserRoutesPorts): AnyRoute =>
  route({
    ...managing,
    permission: 'users.create',
    operationId: 'createUser',
    bodyLimit: NEW_PROFILE_BODY,
    method: 'POST',
    url: '/api/v1/users',
    summary: 'Create a user',
    query: {
      activate: flag(
        'Activates the user: at once if they have a password, otherwise when they use the link in the email.',
        true,
      ),
      provider: flag('Whether `credentials.provider` names the provider that authenticates the user.', false),
      nextLogin: choice('`changePassword` makes the user change their password at the first sign-in.', [
        'changePassword',
      ]),
    },
    body: CreateUserBody,
    response: { status: 200, schema: UserSchema },
    errors: ['E0000001', 'E0000003', 'E0000037', 'E0000077', 'E0000124', 'E0000125', 'E0000195', 'E0000231'],
    bucket: 'users',
    idempotent: true,
    handler: async ({ context, grant, query, body, headers }) => {
      // A new user has no entity tag yet, so no condition can match.
      if (headers['if-match'] !== undefined) throw apiError('E0000231');
      assertMayCreate(grant, body.groupIds ?? []);
      const { user } = await createUser(ports.users, context, body, query);
      return answerUser(ports, context, user);
    },
  });

const getUserRoute = (ports: UserRoutesPorts): AnyRoute =>
  route({
    ...reading,
    operationId: 'getUser',
    method: 'GET',
    url: '/api/v1/users/:id',
    summary: 'Retrieve a user',
    params: UserIdParams,
    query: { expand: expansion('`blocks` embeds how failed attempts keep the user from signing in.', ['blocks']) },
    response: { status: 200, schema: UserSchema },
    errors: ['E0000001', 'E0000007'],
    bucket: 'user',
    handler: async ({ context, grant, params, query, headers }) => {
      const found = await getUser(ports.users, context, grant, params.id);
      const isOwn = seesOnlyItself(context, grant);
      const user = isOwn ? withoutHidden(found, await hiddenFromSelf(ports.users, context)) : found;
      const omit = omissions(headers, context.namespace.word);
      const blocks = query.expand === undefined ? undefined : await blocksOf(ports.users, context, user);
      return answerUser(ports, context, user, { omit, ...(blocks === undefined ? {} : { embedded: { blocks } }) });
    },
  });

interface Update {
  readonly operationId: string;
  readonly method: 'POST' | 'PUT';
  readonly summary: string;
  readonly mode: 'merge' | 'replace';
}

const updateRoute = (ports: UserRoutesPorts, update: Update): AnyRoute =>
  route({
    bodyLimit: STORED_PROFILE_BODY,
    ...managing,
    operationId: update.operationId,
    method: update.method,
    url: '/api/v1/users/:id',
    summary: update.summary,
    params: UserIdParams,
    query: {
      strict: flag('Also enforces the minimum age and the history of the password policy.', false),
      revokeSessions: optionalFlag('With a new password, the sessions of the user end unless this is `false`.'),
    },
    body: UpdateUserBody,
    response: { status: 200, schema: UserSchema },
    errors: ['E0000001', 'E0000003', 'E0000007', 'E0000037', 'E0000038', 'E0000077', 'E0000078', 'E0000195'],
    bucket: 'user',
    conditional: true,
    handler: async ({ context, grant, params, query, body }) => {
      const options = { mode: update.mode, ...query };
      const input: UpdateUserInput = body;
      return answerUser(
        ports,
        context,
        await updateUserProfile(ports.users, context, grant, params.id, input, options),
      );
    },
  });

const deleteUserRoute = (ports: UserRoutesPorts): AnyRoute =>
  route({
    ...managing,
    permission: 'users.delete',
    operationId: 'deleteUser',
    method: 'DELETE',
    url: '/api/v1/users/:id',
    summary: 'Delete a user',
    params: UserIdParams,
    query: { sendEmail: flag('Sends a confirmation by email to the caller who deactivates a user.', false) },
    response: { status: 204, schema: null },
    errors: ['E0000001', 'E0000007', 'E0000037'],
    bucket: 'user',
    conditional: true,
    handler: async ({ context, grant, params, query }) => {
      await deleteUser(ports.users, context, grant, params.id, query);
      return noContent();
    },
  });

const listBlocksRoute = (ports: UserRoutesPorts): AnyRoute =>
  route({
    ...reading,
    operationId: 'listUserBlocks',
    method: 'GET',
    url: '/api/v1/users/:id/blocks',
    summary: 'List all user blocks',
    params: UserIdParams,
    response: { status: 200, schema: UserBlockListSchema },
    errors: ['E0000007'],
    bucket: 'user',
    handler: async ({ context, grant, params }) => ok(await listBlocks(ports.users, context, grant, params.id)),
  });

const listDevicesRoute = (ports: UserRoutesPorts): AnyRoute =>
  route({
    ...reading,
    operationId: 'listUserDevices',
    method: 'GET',
    url: '/api/v1/users/:id/devices',
    summary: 'List the devices that a user has enrolled',
    params: UserIdParams,
    response: { status: 200, schema: UserDeviceListSchema },
    errors: ['E0000007'],
    bucket: 'user',
    handler: async ({ context, grant, params }) => {
      await getUser(ports.users, context, grant, params.id);
      // The list is always empty, because devices cannot be enrolled.
      return ok([]);
    },
  });

export const crudRoutes = (ports: UserRoutesPorts): AnyRoute[] => [
  listUsersRoute(ports),
  createUserRoute(ports),
  getUserRoute(ports),
  updateRoute(ports, {
    operationId: 'updateUser',
    method: 'POST',
    summary: 'Update a user',
    mode: 'merge',
  }),
  updateRoute(ports, {
    operationId: 'replaceUser',
    method: 'PUT',
    summary: 'Replace a user',
    mode: 'replace',
  }),
  deleteUserRoute(ports),
  listBlocksRoute(ports),
  listDevicesRoute(ports),
];
