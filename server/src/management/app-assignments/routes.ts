import { type AnyRoute, ok, route } from '../../platform/http/index.ts';
import { AppLinkListSchema, UserParams } from './contract.ts';
import { appGroupRoutes } from './groups/group-routes.ts';
import { listAppLinks } from './links/list-app-links.ts';
import type { AppAssignmentsPorts } from './ports.ts';
import { appUserRoutes } from './users/user-routes.ts';

const appLinksRoute = (ports: AppAssignmentsPorts): AnyRoute =>
  route({
    tag: 'UserResources',
    access: 'authenticated',
    bucket: 'user',
    cors: true,
    scopes: ['users.read'],
    permission: 'users.read',
    appliesGrant: true,
    operationId: 'listAppLinks',
    method: 'GET',
    url: '/api/v1/users/:id/appLinks',
    summary: 'List all assigned app links',
    params: UserParams,
    response: { status: 200, schema: AppLinkListSchema },
    errors: ['E0000007'],
    handler: async ({ context, grant, params }) => ok(await listAppLinks(ports, context, grant, params.id)),
  });

export const appAssignmentRoutes = (ports: AppAssignmentsPorts): AnyRoute[] => [
  ...appUserRoutes(ports),
  ...appGroupRoutes(ports),
  appLinksRoute(ports),
];
