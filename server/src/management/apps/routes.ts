import { Type } from '@sinclair/typebox';
import type { Context } from '../../kernel/context.ts';
import { invalid } from '../../kernel/errors/errors.ts';
import {
  type Answer,
  type AnyRoute,
  cursor,
  flag,
  limit,
  noContent,
  ok,
  page,
  route,
  text,
  textAnswer,
  versioned,
} from '../../platform/http/index.ts';
import { assignAppPolicy } from './changes/assign-policy.ts';
import { changeAppStatus } from './changes/change-status.ts';
import { createApp } from './changes/create-app.ts';
import { deleteApp } from './changes/delete-app.ts';
import { replaceApp } from './changes/replace-app.ts';
import { clientRoutes } from './clients/client-routes.ts';
import { AppBody, AppIdParams, AppListSchema, AppSchema } from './contract.ts';
import { withMode } from './documents/document-rules.ts';
import { getSamlMetadata } from './documents/saml-metadata.ts';
import type { AppAction } from './lifecycle.ts';
import { getApp } from './lists/get-app.ts';
import { embedUser, listApps, MAXIMUM_PAGE_SIZE, WHOLE_PAGE } from './lists/list-apps.ts';
import { type ShownApp, showApp } from './lists/show-apps.ts';
import { logoRoutes } from './logos/logo-routes.ts';
import { provisioningRoutes } from './provisioning/provisioning-routes.ts';
import type { AppRoutesPorts } from './route-ports.ts';
import { signingKeyRoutes } from './signing-keys/signing-key-routes.ts';
import { appVersion, wireApp } from './wire.ts';

const BODY_LIMIT = {
  bytes: 1_048_576,
  reason: 'Two lists of up to 500 addresses of 1,024 characters.',
};

const common = {
  tag: 'Application',
  access: 'authenticated',
  bucket: 'management',
  cors: false,
  appliesGrant: true,
} as const;
const reading = { ...common, scopes: ['apps.read'], permission: 'apps.read' } as const;
const managing = { ...common, scopes: ['apps.manage'], permission: 'apps.manage' } as const;
const collection = '/api/v1/apps';
const single = `${collection}/:appId`;

const answer = (context: Context, shown: ShownApp): Answer => versioned(appVersion(shown.app), wireApp(shown, context));

const listRoute = (ports: AppRoutesPorts): AnyRoute =>
  route({
    ...reading,
    operationId: 'listApplications',
    method: 'GET',
    url: collection,
    summary: 'List all applications',
    query: {
      q: text('Apps whose name or label starts with this.', 255),
      filter: text(
        'Filter expression on id, name, status, credentials.signing.kid, settings.slo.enabled, user.id, group.id.',
        8_192,
      ),
      expand: text('`user/{userId}` embeds the user of the filter `user.id eq "{userId}"`.', 255),
      includeNonDeleted: flag('Apps that are not active are in the list in any case.', false),
      useOptimization: flag('Answers are whole in any case.', false),
      alwaysIncludeVpnSettings: flag('The VPN settings are shown in any case.', false),
      limit: limit({ default: WHOLE_PAGE, minimum: WHOLE_PAGE, maximum: MAXIMUM_PAGE_SIZE }),
      after: cursor('Cursor of the next page.'),
      before: cursor('Cursor of the previous page.'),
    },
    response: { status: 200, schema: AppListSchema },
    errors: ['E0000001', 'E0000029', 'E0000031', 'E0000037', 'E0000053'],
    handler: async ({ context, grant, query, rawQuery }) => {
      const { rows, links } = await listApps(ports, context, grant, query, rawQuery);
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
    bodyLimit: BODY_LIMIT,
    method: 'POST',
    url: collection,
    summary: 'Create an application',
    query: { activate: flag('Whether the app is active at once.', true) },
    body: AppBody,
    idempotent: true,
    response: { status: 200, schema: AppSchema },
    errors: ['E0000001', 'E0000006', 'E0000037', 'E0000195'],
    handler: async ({ context, grant, query, body }) =>
      answer(context, await createApp(ports, context, grant, withMode(body), query)),
  });

const EXPANDED_USER = /^user\/([^/]+)$/;

const getRoute = (ports: AppRoutesPorts): AnyRoute =>
  route({
    ...reading,
    operationId: 'getApplication',
    method: 'GET',
    url: single,
    summary: 'Retrieve an application',
    params: AppIdParams,
    query: { expand: text('`user/{userId}` embeds a user who has the app.', 255) },
    response: { status: 200, schema: AppSchema },
    errors: ['E0000001', 'E0000007'],
    handler: async ({ context, grant, params, query: { expand } }) => {
      const userId = EXPANDED_USER.exec(expand ?? '')?.[1] ?? null;
      const app = await getApp(ports.db, context, grant, params.appId);
      const shown = await showApp(ports, ports.db, context, app);
      const [embedding = shown] = await embedUser(ports, context, [shown], userId);
      return answer(context, embedding);
    },
  });

const replaceRoute = (ports: AppRoutesPorts): AnyRoute =>
  route({
    ...managing,
    operationId: 'replaceApplication',
    bodyLimit: BODY_LIMIT,
    method: 'PUT',
    url: single,
    summary: 'Replace an application',
    params: AppIdParams,
    body: AppBody,
    response: { status: 200, schema: AppSchema },
    errors: ['E0000001', 'E0000006', 'E0000007'],
    conditional: true,
    handler: async ({ context, grant, params, body }) => {
      return answer(context, await replaceApp(ports, context, grant, params.appId, withMode(body)));
    },
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
    conditional: true,
    handler: async ({ context, grant, params }) => {
      await deleteApp(work, context, grant, params.appId);
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
    conditional: true,
    handler: async ({ context, grant, params }) => {
      await changeAppStatus(work, context, grant, params.appId, action);
      return ok({});
    },
  });

const policyRoute = (ports: AppRoutesPorts): AnyRoute =>
  route({
    ...managing,
    operationId: 'assignApplicationPolicy',
    tag: 'ApplicationPolicies',
    method: 'PUT',
    url: `${single}/policies/:policyId`,
    summary: 'Assign an app sign-in policy',
    params: Type.Object({ appId: Type.String(), policyId: Type.String() }),
    response: { status: 204, schema: null },
    errors: ['E0000001', 'E0000006', 'E0000007'],
    handler: async ({ context, grant, params: { appId, policyId } }) => {
      await assignAppPolicy(ports, context, grant, appId, policyId);
      return noContent();
    },
  });

/** The address of the link `policies` (recorded), to which the id of a policy is appended. */
const policiesRoute = ({ db }: AppRoutesPorts): AnyRoute =>
  route({
    ...managing,
    operationId: 'assignUnnamedApplicationPolicy',
    tag: 'ApplicationPolicies',
    method: 'PUT',
    url: `${single}/policies`,
    summary: 'Say that the id of a policy is missing',
    params: AppIdParams,
    response: { status: 204, schema: null },
    errors: ['E0000001', 'E0000006', 'E0000007'],
    handler: async ({ context, grant, params: { appId } }) => {
      await getApp(db, context, grant, appId);
      throw invalid('policyId', 'must be at the end of the path.');
    },
  });

const metadataRoute = ({ db }: AppRoutesPorts): AnyRoute =>
  route({
    ...reading,
    operationId: 'previewSAMLmetadataForApplication',
    tag: 'ApplicationSSO',
    method: 'GET',
    url: `${single}/sso/saml/metadata`,
    summary: 'Preview the application SAML metadata',
    params: AppIdParams,
    query: { kid: text("One of the app's keys; the one that signs now unless given.", 255) },
    // Requests for XML name it in many ways, and published clients ask for JSON.
    anyAccept: true,
    response: { status: 200, schema: Type.String(), mediaType: 'text/xml' },
    errors: ['E0000007'],
    handler: async ({ context, grant, params, query }) =>
      textAnswer(200, 'text/xml; charset=utf-8', await getSamlMetadata(db, context, grant, params.appId, query.kid)),
  });

export const appRoutes = (ports: AppRoutesPorts): AnyRoute[] => [
  listRoute(ports),
  createRoute(ports),
  getRoute(ports),
  replaceRoute(ports),
  deleteRoute(ports),
  lifecycleRoute(ports, 'activate', 'activateApplication', 'Activate an application'),
  lifecycleRoute(ports, 'deactivate', 'deactivateApplication', 'Deactivate an application'),
  policyRoute(ports),
  policiesRoute(ports),
  metadataRoute(ports),
  ...signingKeyRoutes(ports),
  ...provisioningRoutes(ports),
  ...logoRoutes(ports),
  ...clientRoutes(ports),
];
