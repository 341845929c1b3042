import type { Context } from '../../../kernel/context.ts';
import {
  type Answer,
  type AnyRoute,
  cursor,
  expansion,
  flag,
  limit,
  noContent,
  page,
  route,
  text,
  versioned,
} from '../../../platform/http/index.ts';
import { NEW_PROFILE_BODY, STORED_PROFILE_BODY } from '../../schemas/index.ts';
import { wireListedUser } from '../../users/index.ts';
import {
  AppParams,
  AppUserBody,
  AppUserListSchema,
  AppUserParams,
  AppUserSchema,
  AssignUserBody,
} from '../contract.ts';
import type { AppAssignmentsPorts } from '../ports.ts';
import { readSchema } from '../profiles/app-user-schema.ts';
import { wireAppUser } from '../wire.ts';
import type { AppUser } from './app-user.ts';
import { assignUser } from './assign-user.ts';
import { getAppUser } from './get-app-user.ts';
import { listAppUsers } from './list-app-users.ts';
import { unassignUser } from './unassign-user.ts';
import { updateAppUser } from './update-app-user.ts';
import { appUserVersion } from './versions.ts';

const common = { tag: 'ApplicationUsers', access: 'authenticated', bucket: 'management', cors: false } as const;
const reading = { ...common, scopes: ['apps.read'], permission: 'apps.read', appliesGrant: true } as const;
const managing = {
  ...common,
  scopes: ['apps.manage'],
  permission: 'apps.assignment.manage',
  appliesGrant: true,
} as const;
const collection = '/api/v1/apps/:appId/users';
const single = `${collection}/:userId`;

const expand = expansion('`user`: the user stands in `_embedded`.', ['user']);
const NONE: ReadonlySet<string> = new Set();

async function answer(
  { db }: AppAssignmentsPorts,
  context: Context,
  appUser: AppUser,
  expanded?: 'user',
): Promise<Answer> {
  const schema = await readSchema(db, context, appUser.app);
  const embedded = expanded === undefined ? null : { user: wireListedUser(appUser.user, context, NONE) };
  return versioned(appUserVersion(appUser), wireAppUser(appUser, context, schema, embedded));
}

const listRoute = (ports: AppAssignmentsPorts): AnyRoute =>
  route({
    ...reading,
    operationId: 'listApplicationUsers',
    method: 'GET',
    url: collection,
    summary: 'List all application users',
    params: AppParams,
    query: {
      q: text('Users whose name in the app, login, email, first or last name starts with this.', 100),
      limit: limit({ default: 50, maximum: 500 }),
      after: cursor('Cursor of the next page.'),
      before: cursor('Cursor of the previous page.'),
      expand,
    },
    response: { status: 200, schema: AppUserListSchema },
    errors: ['E0000001', 'E0000007', 'E0000037'],
    handler: async ({ context, grant, params, query, rawQuery }) => {
      const { app, appUsers, links } = await listAppUsers(ports, context, grant, params.appId, query, rawQuery);
      const schema = await readSchema(ports.db, context, app);
      const isExpanded = query.expand === 'user';
      return page(
        appUsers.map((appUser) => {
          const embedded = isExpanded ? { user: wireListedUser(appUser.user, context, NONE) } : null;
          return wireAppUser(appUser, context, schema, embedded);
        }),
        links,
      );
    },
  });

const assignRoute = (ports: AppAssignmentsPorts): AnyRoute =>
  route({
    ...managing,
    operationId: 'assignUserToApplication',
    bodyLimit: NEW_PROFILE_BODY,
    method: 'POST',
    url: collection,
    summary: 'Assign an application user',
    params: AppParams,
    body: AssignUserBody,
    idempotent: true,
    response: { status: 200, schema: AppUserSchema },
    errors: ['E0000001', 'E0000007', 'E0000041', 'E0000062', 'E0000117', 'E0000195'],
    conditional: true,
    handler: async ({ context, grant, params, body }) => {
      const place = { appId: params.appId, userId: body.id };
      return answer(ports, context, await assignUser(ports, context, grant, place, body, 'once'));
    },
  });

const assignByIdRoute = (ports: AppAssignmentsPorts): AnyRoute =>
  route({
    ...managing,
    operationId: 'assignUserToApplicationById',
    bodyLimit: STORED_PROFILE_BODY,
    method: 'PUT',
    url: single,
    summary: 'Assign an application user, or change an assignment',
    params: AppUserParams,
    body: AppUserBody,
    bodyOptional: true,
    response: { status: 200, schema: AppUserSchema },
    errors: ['E0000001', 'E0000007', 'E0000041', 'E0000117'],
    conditional: true,
    handler: async ({ context, grant, params, body }) => {
      return answer(ports, context, await assignUser(ports, context, grant, params, body ?? {}, 'again'));
    },
  });

const getRoute = (ports: AppAssignmentsPorts): AnyRoute =>
  route({
    ...reading,
    operationId: 'getApplicationUser',
    method: 'GET',
    url: single,
    summary: 'Retrieve an application user',
    params: AppUserParams,
    query: { expand },
    response: { status: 200, schema: AppUserSchema },
    errors: ['E0000001', 'E0000007'],
    handler: async ({ context, grant, params, query }) =>
      answer(ports, context, await getAppUser(ports, context, grant, params), query.expand),
  });

const updateRoute = (ports: AppAssignmentsPorts): AnyRoute =>
  route({
    ...managing,
    operationId: 'updateApplicationUser',
    bodyLimit: STORED_PROFILE_BODY,
    method: 'POST',
    url: single,
    summary: 'Update an application user',
    params: AppUserParams,
    body: AppUserBody,
    response: { status: 200, schema: AppUserSchema },
    errors: ['E0000001', 'E0000007', 'E0000041', 'E0000117'],
    conditional: true,
    handler: async ({ context, grant, params, body }) => {
      return answer(ports, context, await updateAppUser(ports, context, grant, params, body));
    },
  });

const unassignRoute = (ports: AppAssignmentsPorts): AnyRoute =>
  route({
    ...managing,
    operationId: 'unassignUserFromApplication',
    method: 'DELETE',
    url: single,
    summary: 'Unassign an application user',
    params: AppUserParams,
    query: { sendEmail: flag('Mails the administrator who takes the app from the user that it is so.', false) },
    response: { status: 204, schema: null },
    errors: ['E0000007', 'E0000037', 'E0000046'],
    conditional: true,
    handler: async ({ context, grant, params, query }) => {
      await unassignUser(ports, context, grant, params, query);
      return noContent();
    },
  });

/** Users of an app (contract section 17: ApplicationUsers). */
export const appUserRoutes = (ports: AppAssignmentsPorts): AnyRoute[] => [
  listRoute(ports),
  assignRoute(ports),
  assignByIdRoute(ports),
  getRoute(ports),
  updateRoute(ports),
  unassignRoute(ports),
];
