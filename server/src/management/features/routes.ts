import { notFound } from '../../kernel/errors/errors.ts';
import { type AnyRoute, choice, ok, resourceRoutes, route } from '../../platform/http/index.ts';
import type { Foundation } from '../../system-log/index.ts';
import { changeFeatureStatus } from './change-feature-status.ts';
import { FeatureIdParams, FeatureLifecycleParams, FeatureListSchema, FeatureSchema } from './contract.ts';
import { getFeature, listFeatures, listNeighbours } from './list-features.ts';
import { readAction } from './rules.ts';
import { wireFeature } from './wire.ts';

export type FeatureRoutesPorts = Pick<Foundation, 'db' | 'work'>;

const url = '/api/v1/features/:featureId';
const features = resourceRoutes({
  tag: 'Feature',
  name: 'Feature',
  one: 'a feature',
  all: 'all features',
  scope: 'features',
  // A feature is a setting of the org under another name, so it requires the permission for settings.
  permission: 'orgs',
  url,
  params: FeatureIdParams,
  schema: FeatureSchema,
  wire: wireFeature,
});

const neighboursRoute = (
  { db }: FeatureRoutesPorts,
  given: { operationId: string; summary: string; kind: 'dependencies' | 'dependents' },
): AnyRoute =>
  route({
    ...features.reading,
    operationId: given.operationId,
    method: 'GET',
    url: `${url}/${given.kind}`,
    summary: given.summary,
    params: FeatureIdParams,
    response: { status: 200, schema: FeatureListSchema },
    errors: ['E0000007'],
    handler: async ({ context, params }) => {
      const found = await listNeighbours(db, context, params.featureId, given.kind);
      return ok(found.map((feature) => wireFeature(feature, context)));
    },
  });

const lifecycleRoute = ({ work }: FeatureRoutesPorts): AnyRoute =>
  route({
    ...features.managing,
    operationId: 'updateFeatureLifecycle',
    method: 'POST',
    url: `${url}/:lifecycle`,
    summary: 'Enable or disable a feature',
    params: FeatureLifecycleParams,
    query: { mode: choice('`force` first switches the features that prevent this.', ['force']) },
    response: { status: 200, schema: FeatureSchema },
    errors: ['E0000001', 'E0000007'],
    handler: async ({ context, params, query }) => {
      const action = readAction(params.lifecycle);
      if (action === null) throw notFound(params.lifecycle, 'FeatureLifecycle');
      const options = { action, force: query.mode === 'force' };
      const feature = await changeFeatureStatus(work, context, params.featureId, options);
      return ok(wireFeature(feature, context));
    },
  });

export const featureRoutes = (ports: FeatureRoutesPorts): AnyRoute[] => [
  features.list({
    schema: FeatureListSchema,
    use: ({ context }) => listFeatures(ports.db, context),
  }),
  features.get({
    use: ({ context, params }) => getFeature(ports.db, context, params.featureId),
  }),
  neighboursRoute(ports, {
    operationId: 'listFeatureDependencies',
    summary: 'List the features that a feature needs',
    kind: 'dependencies',
  }),
  neighboursRoute(ports, {
    operationId: 'listFeatureDependents',
    summary: 'List the features that need a feature',
    kind: 'dependents',
  }),
  lifecycleRoute(ports),
];
