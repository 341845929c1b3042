import type { Context } from '../../../kernel/context.ts';
import { notFound } from '../../../kernel/errors/errors.ts';
import { linkTo } from '../../../kernel/errors/hints.ts';
import type { AppId } from '../../../kernel/words/ids.ts';
import { type AnyRoute, flag, resourceRoutes } from '../../../platform/http/index.ts';
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

/** Renders a connection in the form that recordings show. */
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

const features = resourceRoutes({
  tag: 'ApplicationFeatures',
  name: 'FeatureForApplication',
  one: 'a feature',
  all: 'all features',
  scope: 'apps',
  appliesGrant: true,
  url: '/api/v1/apps/:appId/features/:featureName',
  of: AppIdParams,
  params: FeatureParams,
  schema: FeatureSchema,
  wire: (feature: Feature, context, { params }) => wireFeature(feature, params.appId, context),
  version: (feature, _context, { params }) => featureVersion(params.appId, feature),
});

const connections = resourceRoutes({
  tag: 'ApplicationConnections',
  name: 'DefaultProvisioningConnectionForApplication',
  one: 'the default provisioning connection',
  scope: 'apps',
  appliesGrant: true,
  url: '/api/v1/apps/:appId/connections/default',
  of: AppIdParams,
  params: AppIdParams,
  schema: ConnectionSchema,
  wire: (row: Provisioning | null, context, { params }) => wireConnection(row, params.appId, context),
  version: (row, _context, { params }) => connectionVersion(params.appId, row),
});

export const provisioningRoutes = (ports: AppRoutesPorts): AnyRoute[] => [
  features.list({
    operationId: 'listFeaturesForApplication',
    schema: FeatureListSchema,
    errors: ['E0000001'],
    use: ({ context, grant, params }) => getFeatures(ports.db, context, grant, params.appId, FEATURES),
  }),
  features.get({
    errors: ['E0000001'],
    use: async ({ context, grant, params: { appId, featureName } }) => {
      const [found] = await getFeatures(ports.db, context, grant, appId, [featureName]);
      if (found === undefined) throw notFound(featureName, 'ApplicationFeature');
      return found;
    },
  }),
  features.replace({
    operationId: 'updateFeatureForApplication',
    summary: 'Update a feature',
    body: FeatureBody,
    errors: ['E0000006'],
    use: ({ context, grant, params: { appId, featureName }, body }) =>
      updateFeature(ports, context, grant, appId, featureName, body),
  }),
  connections.get({
    use: ({ context, grant, params }) => getConnection(ports.db, context, grant, params.appId),
  }),
  connections.update({
    query: { activate: flag('Whether the connection is enabled at once.', false) },
    body: ConnectionBody,
    errors: ['E0000006'],
    use: ({ context, grant, params, query, body }) =>
      updateConnection(ports, context, grant, params.appId, body, query.activate),
  }),
  ...connections.lifecycle({
    answers: 'nothing',
    errors: ['E0000006'],
    use: ({ context, grant, params }, action) =>
      changeConnectionStatus(ports, context, grant, params.appId, action === 'activate' ? 'ENABLED' : 'DISABLED'),
  }),
];
