import type { Context } from '../../../kernel/context.ts';
import { notFound } from '../../../kernel/errors/errors.ts';
import { linkTo } from '../../../kernel/errors/hints.ts';
import type { AppId } from '../../../kernel/words/ids.ts';
import { type Answer, type AnyRoute, flag, noContent, ok, route, versioned } from '../../../platform/http/index.ts';
import { AppIdParams } from '../contract.ts';
import type { AppRoutesPorts } from '../route-ports.ts';
import {
  changeConnectionStatus,
  connectionVersion,
  type Feature,
  featureVersion,
  getConnection,
  getFeatures,
  updateConnection,
  updateFeature,
} from './change-provisioning.ts';
import { DESCRIPTIONS, FEATURES, wireCapabilities } from './feature-rules.ts';
import {
  ConnectionBody,
  ConnectionSchema,
  FeatureBody,
  FeatureListSchema,
  FeatureParams,
  FeatureSchema,
} from './provisioning-contract.ts';
import type { Provisioning } from './provisioning-store.ts';

const common = { access: 'authenticated', bucket: 'management', cors: false, appliesGrant: true } as const;
const reading = { ...common, scopes: ['apps.read'], permission: 'apps.read' } as const;
const managing = { ...common, scopes: ['apps.manage'], permission: 'apps.manage' } as const;
const features = '/api/v1/apps/:appId/features';
const connection = '/api/v1/apps/:appId/connections/default';

const wireFeature = ({ capabilities, name }: Feature, appId: AppId, context: Context): Record<string, unknown> => ({
  name,
  status: 'ENABLED',
  description: DESCRIPTIONS[name],
  capabilities: wireCapabilities(name, capabilities, context.namespace),
  _links: {
    self: linkTo(
      `${context.baseUrl}/api/v1/apps/${appId}/features/${name}`,
      '/api/v1/apps/:appId/features/:featureName',
    ),
  },
});

/** Renders a connection (recorded); `UNKNOWN` where none was ever set. */
function wireConnection(provisioning: Provisioning | null, appId: AppId, context: Context): Record<string, unknown> {
  const address = `${context.baseUrl}/api/v1/apps/${appId}/connections/default`;
  const self = { self: { href: address, hints: { allow: ['POST', 'GET'] } } };
  if (provisioning === null) return { status: 'UNKNOWN', profile: { authScheme: 'UNKNOWN' }, _links: self };
  const { baseUrl, status } = provisioning;
  const action = status === 'ENABLED' ? 'deactivate' : 'activate';
  return {
    authScheme: 'TOKEN',
    status,
    ...(baseUrl === null ? {} : { baseUrl }),
    profile: { authScheme: 'TOKEN' },
    _links: { ...self, [action]: { href: `${address}/lifecycle/${action}`, hints: { allow: ['POST'] } } },
  };
}

const answerFeature = (feature: Feature, appId: AppId, context: Context): Answer =>
  versioned(featureVersion(appId, feature), wireFeature(feature, appId, context));

const answerConnection = (provisioning: Provisioning | null, appId: AppId, context: Context): Answer =>
  versioned(connectionVersion(appId, provisioning), wireConnection(provisioning, appId, context));

const featureRoutes = ({ db, work }: AppRoutesPorts): AnyRoute[] => [
  route({
    ...reading,
    operationId: 'listFeaturesForApplication',
    tag: 'ApplicationFeatures',
    method: 'GET',
    url: features,
    summary: 'List all features',
    params: AppIdParams,
    response: { status: 200, schema: FeatureListSchema },
    errors: ['E0000001', 'E0000007'],
    handler: async ({ context, grant, params: { appId } }) => {
      const found = await getFeatures(db, context, grant, appId, FEATURES);
      return ok(found.map((feature) => wireFeature(feature, appId, context)));
    },
  }),
  route({
    ...reading,
    operationId: 'getFeatureForApplication',
    tag: 'ApplicationFeatures',
    method: 'GET',
    url: `${features}/:featureName`,
    summary: 'Retrieve a feature',
    params: FeatureParams,
    response: { status: 200, schema: FeatureSchema },
    errors: ['E0000001', 'E0000007'],
    handler: async ({ context, grant, params: { appId, featureName } }) => {
      const [found] = await getFeatures(db, context, grant, appId, [featureName]);
      if (found === undefined) throw notFound(featureName, 'ApplicationFeature');
      return answerFeature(found, appId, context);
    },
  }),
  route({
    ...managing,
    operationId: 'updateFeatureForApplication',
    tag: 'ApplicationFeatures',
    method: 'PUT',
    url: `${features}/:featureName`,
    summary: 'Update a feature',
    params: FeatureParams,
    body: FeatureBody,
    response: { status: 200, schema: FeatureSchema },
    errors: ['E0000001', 'E0000006', 'E0000007'],
    conditional: true,
    handler: async ({ context, grant, params: { appId, featureName }, body }) =>
      answerFeature(await updateFeature({ work }, context, grant, appId, featureName, body), appId, context),
  }),
];

const statusRoute = ({ work }: AppRoutesPorts, action: 'activate' | 'deactivate', operationId: string): AnyRoute =>
  route({
    ...managing,
    operationId,
    tag: 'ApplicationConnections',
    method: 'POST',
    url: `${connection}/lifecycle/${action}`,
    summary: `${action === 'activate' ? 'Activate' : 'Deactivate'} the default provisioning connection`,
    params: AppIdParams,
    response: { status: 204, schema: null },
    errors: ['E0000006', 'E0000007'],
    conditional: true,
    handler: async ({ context, grant, params: { appId } }) => {
      await changeConnectionStatus({ work }, context, grant, appId, action === 'activate' ? 'ENABLED' : 'DISABLED');
      return noContent();
    },
  });

/** Routes for the stored settings that manage an app's accounts. */
export const provisioningRoutes = (ports: AppRoutesPorts): AnyRoute[] => [
  ...featureRoutes(ports),
  route({
    ...reading,
    operationId: 'getDefaultProvisioningConnectionForApplication',
    tag: 'ApplicationConnections',
    method: 'GET',
    url: connection,
    summary: 'Retrieve the default provisioning connection',
    params: AppIdParams,
    response: { status: 200, schema: ConnectionSchema },
    errors: ['E0000007'],
    handler: async ({ context, grant, params: { appId } }) =>
      answerConnection(await getConnection(ports.db, context, grant, appId), appId, context),
  }),
  route({
    ...managing,
    operationId: 'updateDefaultProvisioningConnectionForApplication',
    tag: 'ApplicationConnections',
    method: 'POST',
    url: connection,
    summary: 'Update the default provisioning connection',
    params: AppIdParams,
    query: { activate: flag('Whether the connection is active at once.', false) },
    body: ConnectionBody,
    response: { status: 200, schema: ConnectionSchema },
    errors: ['E0000001', 'E0000006', 'E0000007', 'E0000037'],
    conditional: true,
    handler: async ({ context, grant, params: { appId }, query, body }) =>
      answerConnection(await updateConnection(ports, context, grant, appId, body, query.activate), appId, context),
  }),
  statusRoute(ports, 'activate', 'activateDefaultProvisioningConnectionForApplication'),
  statusRoute(ports, 'deactivate', 'deactivateDefaultProvisioningConnectionForApplication'),
];
