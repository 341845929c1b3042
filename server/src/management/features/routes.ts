import { notFound } from '../../kernel/errors/errors.ts';
import { type AnyRoute, choice, ok, route } from '../../platform/http/index.ts';
import type { Foundation } from '../../system-log/index.ts';
import { changeFeatureStatus } from './change-feature-status.ts';
import { FeatureIdParams, FeatureLifecycleParams, FeatureListSchema, FeatureSchema } from './contract.ts';
import { getFeature, listFeatures, listNeighbours } from './list-features.ts';
import { readAction } from './rules.ts';
import { wireFeature } from './wire.ts';

export type FeatureRoutesPorts = Pick<Foundation, 'db' | 'work'>;

const common = { tag: 'Feature', access: 'authenticated', bucket: 'management', cors: false } as const;
// A feature is an org setting under another name, so it needs the permission for settings.
const reading = { ...common, scopes: ['features.read'], permission: 'orgs.read' } as const;
const managing = { ...common, scopes: ['features.manage'], permission: 'orgs.manage' } as const;
const collection = '/api/v1/features';
const single = `${collection}/:featureId`;

const listRoute = ({ db }: FeatureRoutesPorts): AnyRoute =>
  route({
    ...reading,
    operationId: 'listFeatures',
    method: 'GET',
    url: collection,
    summary: 'List all features',
    response: { status: 200, schema: FeatureListSchema },
    errors: [],
    handler: async ({ context }) =>
      ok((await listFeatures(db, context)).map((feature) => wireFeature(feature, context))),
  });

const getRoute = ({ db }: FeatureRoutesPorts): AnyRoute =>
  route({
    ...reading,
    operationId: 'getFeature',
    method: 'GET',
    url: single,
    summary: 'Retrieve a feature',
    params: FeatureIdParams,
    response: { status: 200, schema: FeatureSchema },
    errors: ['E0000007'],
    handler: async ({ context, params }) => ok(wireFeature(await getFeature(db, context, params.featureId), context)),
  });

const neighboursRoute = (
  { db }: FeatureRoutesPorts,
  given: { operationId: string; summary: string; kind: 'dependencies' | 'dependents' },
): AnyRoute =>
  route({
    ...reading,
    operationId: given.operationId,
    method: 'GET',
    url: `${single}/${given.kind}`,
    summary: given.summary,
    params: FeatureIdParams,
    response: { status: 200, schema: FeatureListSchema },
    errors: ['E0000007'],
    handler: async ({ context, params }) => {
      const features = await listNeighbours(db, context, params.featureId, given.kind);
      return ok(features.map((feature) => wireFeature(feature, context)));
    },
  });

const lifecycleRoute = ({ work }: FeatureRoutesPorts): AnyRoute =>
  route({
    ...managing,
    operationId: 'updateFeatureLifecycle',
    method: 'POST',
    url: `${single}/:lifecycle`,
    summary: 'Enable or disable a feature',
    params: FeatureLifecycleParams,
    query: { mode: choice('`force`: switches first what must be switched before.', ['force']) },
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

/** The org's features (contract: the family Feature). */
export const featureRoutes = (ports: FeatureRoutesPorts): AnyRoute[] => [
  listRoute(ports),
  getRoute(ports),
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
