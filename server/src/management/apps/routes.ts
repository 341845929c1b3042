import { Type } from '@sinclair/typebox';
import { type AnyRoute, cursor, flag, limit, noContent, ok, page, route, text } from '../../platform/http/index.ts';
import { changeAppStatus } from './change-status.ts';
import { clientRoutes } from './client-routes.ts';
import { AppBody, AppIdParams, AppListSchema, AppSchema } from './contract.ts';
import { createApp } from './create-app.ts';
import { deleteApp } from './delete-app.ts';
import { getApp } from './get-app.ts';
import type { AppAction } from './lifecycle.ts';
import { listApps, MAXIMUM_PAGE_SIZE, WHOLE_PAGE } from './list-apps.ts';
import { replaceApp } from './replace-app.ts';
import type { AppRoutesPorts } from './route-ports.ts';
import { wireApp } from './wire.ts';

const common = { tag: 'Application', access: 'authenticated', bucket: 'management', cors: false } as const;
const reading = { ...common, scopes: ['apps.read'], permission: 'apps.read' } as const;
const managing = { ...common, scopes: ['apps.manage'], permission: 'apps.manage' } as const;
const collection = '/api/v1/apps';
const single = `${collection}/:appId`;

const listRoute = (ports: AppRoutesPorts): AnyRoute =>
  route({
    ...reading,
    operationId: 'listApplications',
    method: 'GET',
    url: collection,
    summary: 'List all applications',
    query: {
      q: text('Apps whose name or label starts with this.', 255),
      filter: text('Filter expression on id, name and status.', 8_192),
      limit: limit({ default: WHOLE_PAGE, minimum: WHOLE_PAGE, maximum: MAXIMUM_PAGE_SIZE }),
      after: cursor('Cursor of the next page.'),
      before: cursor('Cursor of the previous page.'),
    },
    response: { status: 200, schema: AppListSchema },
    errors: ['E0000001', 'E0000031', 'E0000037', 'E0000053'],
    handler: async ({ context, query, rawQuery }) => {
      const { rows, links } = await listApps(ports, context, query, rawQuery);
      return page(
        rows.map((row) => wireApp(row, context)),
        links,
      );
    },
  });

const createRoute = (ports: AppRoutesPorts): AnyRoute =>
  route({
    ...managing,
    operationId: 'createApplication',
    method: 'POST',
    url: collection,
    summary: 'Create an application',
    query: { activate: flag('Whether the app is active at once.', true) },
    body: AppBody,
    idempotent: true,
    response: { status: 200, schema: AppSchema },
    errors: ['E0000001', 'E0000037', 'E0000195'],
    handler: async ({ context, query, body }) => ok(wireApp(await createApp(ports, context, body, query), context)),
  });

const getRoute = ({ db }: AppRoutesPorts): AnyRoute =>
  route({
    ...reading,
    operationId: 'getApplication',
    method: 'GET',
    url: single,
    summary: 'Retrieve an application',
    params: AppIdParams,
    response: { status: 200, schema: AppSchema },
    errors: ['E0000007'],
    handler: async ({ context, params }) => ok(wireApp(await getApp(db, context, params.appId), context)),
  });

const replaceRoute = (ports: AppRoutesPorts): AnyRoute =>
  route({
    ...managing,
    operationId: 'replaceApplication',
    method: 'PUT',
    url: single,
    summary: 'Replace an application',
    params: AppIdParams,
    body: AppBody,
    response: { status: 200, schema: AppSchema },
    errors: ['E0000001', 'E0000006', 'E0000007'],
    handler: async ({ context, params, body }) =>
      ok(wireApp(await replaceApp(ports, context, params.appId, body), context)),
  });

const deleteRoute = ({ work }: AppRoutesPorts): AnyRoute =>
  route({
    ...managing,
    operationId: 'deleteApplication',
    method: 'DELETE',
    url: single,
    summary: 'Delete an application',
    params: AppIdParams,
    response: { status: 204, schema: null },
    errors: ['E0000006', 'E0000007', 'E0000056'],
    handler: async ({ context, params }) => {
      await deleteApp(work, context, params.appId);
      return noContent();
    },
  });

const lifecycleRoute = ({ work }: AppRoutesPorts, action: AppAction, operationId: string, summary: string): AnyRoute =>
  route({
    ...managing,
    operationId,
    method: 'POST',
    url: `${single}/lifecycle/${action}`,
    summary,
    params: AppIdParams,
    response: { status: 200, schema: Type.Object({}) },
    errors: ['E0000006', 'E0000007'],
    handler: async ({ context, params }) => {
      await changeAppStatus(work, context, params.appId, action);
      return ok({});
    },
  });

export const appRoutes = (ports: AppRoutesPorts): AnyRoute[] => [
  listRoute(ports),
  createRoute(ports),
  getRoute(ports),
  replaceRoute(ports),
  deleteRoute(ports),
  lifecycleRoute(ports, 'activate', 'activateApplication', 'Activate an application'),
  lifecycleRoute(ports, 'deactivate', 'deactivateApplication', 'Deactivate an application'),
  ...clientRoutes(ports),
];
