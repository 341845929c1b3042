import type { Context } from '../../../kernel/context.ts';
import { type AnyRoute, expansion, flag, paging, resourceRoutes, text } from '../../../platform/http/index.ts';
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

interface ShownAppUser {
  readonly appUser: AppUser;
  readonly profileSchema: Awaited<ReturnType<typeof readSchema>>;
  readonly isExpanded: boolean;
}

const NONE: ReadonlySet<string> = new Set();

const assigning = { permission: 'apps.assignment.manage' };
const appUsers = resourceRoutes({
  tag: 'ApplicationUsers',
  name: 'ApplicationUser',
  one: 'an application user',
  all: 'all application users',
  scope: 'apps',
  appliesGrant: true,
  url: '/api/v1/apps/:appId/users/:userId',
  of: AppParams,
  params: AppUserParams,
  schema: AppUserSchema,
  wire: ({ appUser, isExpanded, profileSchema }: ShownAppUser, context) => {
    const embedded = isExpanded ? { user: wireListedUser(appUser.user, context, NONE) } : null;
    return wireAppUser(appUser, context, profileSchema, embedded);
  },
  version: ({ appUser }) => appUserVersion(appUser),
});
const expand = expansion('`user` embeds the user.', ['user']);

const show = async (
  { db }: AppAssignmentsPorts,
  context: Context,
  appUser: AppUser,
  expanded?: 'user',
): Promise<ShownAppUser> => ({
  appUser,
  profileSchema: await readSchema(db, context, appUser.app),
  isExpanded: expanded !== undefined,
});

export const appUserRoutes = (ports: AppAssignmentsPorts): AnyRoute[] => [
  appUsers.list({
    query: {
      q: text(
        'Lists only users whose name in the app, login, email, first name or last name starts with this text.',
        100,
      ),
      ...paging({ default: 50, maximum: 500 }),
      expand,
    },
    schema: AppUserListSchema,
    use: async ({ context, grant, params, query, rawQuery }) => {
      const { appUsers: found, app, links } = await listAppUsers(ports, context, grant, params.appId, query, rawQuery);
      const profileSchema = await readSchema(ports.db, context, app);
      const isExpanded = query.expand === 'user';
      return { links, rows: found.map((appUser) => ({ appUser, profileSchema, isExpanded })) };
    },
  }),
  appUsers.create({
    ...assigning,
    operationId: 'assignUserToApplication',
    summary: 'Assign an application user',
    body: AssignUserBody,
    bodyLimit: NEW_PROFILE_BODY,
    errors: ['E0000041', 'E0000062', 'E0000117'],
    conditional: true,
    use: async ({ context, grant, params, body }) => {
      const place = { appId: params.appId, userId: body.id };
      return show(ports, context, await assignUser(ports, context, grant, place, body, 'once'));
    },
  }),
  appUsers.replace({
    ...assigning,
    operationId: 'assignUserToApplicationById',
    summary: 'Assign an application user, or change an assignment',
    body: AppUserBody,
    bodyLimit: STORED_PROFILE_BODY,
    bodyOptional: true,
    errors: ['E0000041', 'E0000117'],
    use: async ({ context, grant, params, body }) =>
      show(ports, context, await assignUser(ports, context, grant, params, body ?? {}, 'again')),
  }),
  appUsers.get({
    query: { expand },
    use: async ({ context, grant, params, query }) =>
      show(ports, context, await getAppUser(ports, context, grant, params), query.expand),
  }),
  appUsers.update({
    ...assigning,
    body: AppUserBody,
    bodyLimit: STORED_PROFILE_BODY,
    errors: ['E0000041', 'E0000117'],
    use: async ({ context, grant, params, body }) =>
      show(ports, context, await updateAppUser(ports, context, grant, params, body)),
  }),
  appUsers.delete({
    ...assigning,
    operationId: 'unassignUserFromApplication',
    summary: 'Unassign an application user',
    query: { sendEmail: flag('Sends a confirmation by email to the caller.', false) },
    errors: ['E0000046'],
    use: ({ context, grant, params, query }) => unassignUser(ports, context, grant, params, query),
  }),
];
