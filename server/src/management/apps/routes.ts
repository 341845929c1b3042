import { Type } from '@sinclair/typebox';
import { invalid } from '../../kernel/errors/errors.ts';
import {
  type AnyRoute,
  flag,
  noContent,
  ok,
  paging,
  resourceRoutes,
  route,
  text,
  textAnswer,
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

const EXPANDED_USER = /^user\/([^/]+)$/;

const url = '/api/v1/apps/:appId';
const apps = resourceRoutes({
  tag: 'Application',
  name: 'Application',
  one: 'an application',
  all: 'all applications',
  scope: 'apps',
  appliesGrant: true,
  url,
  params: AppIdParams,
  schema: AppSchema,
  wire: wireApp,
  version: ({ app }: ShownApp) => appVersion(app),
});

const lifecycleRoute = ({ work }: AppRoutesPorts, action: AppAction, operationId: string, summary: string): AnyRoute =>
  route({
    ...apps.managing,
    operationId,
    method: 'POST',
    url: `${url}/lifecycle/${action}`,
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
    ...apps.managing,
    operationId: 'assignApplicationPolicy',
    tag: 'ApplicationPolicies',
    method: 'PUT',
    url: `${url}/policies/:policyId`,
    summary: 'Assign an app sign-in policy',
    params: Type.Object({ appId: Type.String(), policyId: Type.String() }),
    response: { status: 204, schema: null },
    errors: ['E0000001', 'E0000006', 'E0000007'],
    handler: async ({ context, grant, params: { appId, policyId } }) => {
      await assignAppPolicy(ports, context, grant, appId, policyId);
      return noContent();
    },
  });

/**
 * Apps link to this address as `policies`, as in recordings. It refuses requests, because clients must append a
 * policy's id.
 */
const policiesRoute = ({ db }: AppRoutesPorts): AnyRoute =>
  route({
    ...apps.managing,
    operationId: 'assignUnnamedApplicationPolicy',
    tag: 'ApplicationPolicies',
    method: 'PUT',
    url: `${url}/policies`,
    summary: 'Refuse an assignment without the id of a policy',
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
    ...apps.reading,
    operationId: 'previewSAMLmetadataForApplication',
    tag: 'ApplicationSSO',
    method: 'GET',
    url: `${url}/sso/saml/metadata`,
    summary: 'Preview the application SAML metadata',
    params: AppIdParams,
    query: { kid: text('The id of one of the app’s keys. By default, it is the key that signs now.', 255) },
    // Published clients send `Accept: application/json` even for this XML, so the header is not checked.
    anyAccept: true,
    response: { status: 200, schema: Type.String(), mediaType: 'text/xml' },
    errors: ['E0000007'],
    handler: async ({ context, grant, params, query }) =>
      textAnswer(200, 'text/xml; charset=utf-8', await getSamlMetadata(db, context, grant, params.appId, query.kid)),
  });

export const appRoutes = (ports: AppRoutesPorts): AnyRoute[] => [
  apps.list({
    query: {
      q: text('Lists only apps whose name or label starts with this text.', 255),
      filter: text(
        'A filter expression on id, name, status, credentials.signing.kid, settings.slo.enabled, user.id and group.id.',
        8_192,
      ),
      expand: text('`user/{userId}` embeds the user of the filter `user.id eq "{userId}"`.', 255),
      includeNonDeleted: flag('Has no effect: the list always contains inactive apps.', false),
      useOptimization: flag('Has no effect: responses are always complete.', false),
      alwaysIncludeVpnSettings: flag('Has no effect: the VPN settings are always shown.', false),
      ...paging({ default: WHOLE_PAGE, minimum: WHOLE_PAGE, maximum: MAXIMUM_PAGE_SIZE }),
    },
    schema: AppListSchema,
    errors: ['E0000029'],
    use: ({ context, grant, query, rawQuery }) => listApps(ports, context, grant, query, rawQuery),
  }),
  apps.create({
    query: { activate: flag('Whether the app is active at once.', true) },
    body: AppBody,
    bodyLimit: BODY_LIMIT,
    errors: ['E0000006'],
    use: ({ context, grant, query, body }) => createApp(ports, context, grant, withMode(body), query),
  }),
  apps.get({
    query: { expand: text('`user/{userId}` embeds a user who has the app.', 255) },
    use: async ({ context, grant, params, query: { expand } }) => {
      const userId = EXPANDED_USER.exec(expand ?? '')?.[1] ?? null;
      const app = await getApp(ports.db, context, grant, params.appId);
      const shown = await showApp(ports, ports.db, context, app);
      const [embedding = shown] = await embedUser(ports, context, [shown], userId);
      return embedding;
    },
  }),
  apps.replace({
    body: AppBody,
    bodyLimit: BODY_LIMIT,
    errors: ['E0000006'],
    use: ({ context, grant, params, body }) => replaceApp(ports, context, grant, params.appId, withMode(body)),
  }),
  apps.delete({
    errors: ['E0000006', 'E0000056'],
    use: ({ context, grant, params }) => deleteApp(ports.work, context, grant, params.appId),
  }),
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
