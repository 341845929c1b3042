import type { Context } from '../../kernel/context.ts';
import { notFound } from '../../kernel/errors/errors.ts';
import type { Db } from '../../platform/postgres/index.ts';
import { findOrgSettings } from '../orgs/index.ts';
import { FEATURES, type Feature, type FeatureDefinition, featureOf, featuresOf, findDefinition } from './catalogue.ts';
import { dependenciesOf, dependentsOf } from './rules.ts';

export function knownDefinition({ orgId }: Context, id: string): FeatureDefinition {
  const definition = findDefinition(orgId, id);
  if (definition === undefined) throw notFound(id, 'Feature');
  return definition;
}

export const listFeatures = async (db: Db, { orgId }: Context): Promise<Feature[]> =>
  featuresOf(orgId, await findOrgSettings(db, orgId));

export async function getFeature(db: Db, context: Context, id: string): Promise<Feature> {
  const definition = knownDefinition(context, id);
  return featureOf(context.orgId, definition, await findOrgSettings(db, context.orgId));
}

const NEIGHBOURS = { dependencies: dependenciesOf, dependents: dependentsOf } as const;

export async function listNeighbours(
  db: Db,
  context: Context,
  id: string,
  kind: keyof typeof NEIGHBOURS,
): Promise<Feature[]> {
  const { key } = knownDefinition(context, id);
  return featuresOf(context.orgId, await findOrgSettings(db, context.orgId), NEIGHBOURS[kind](FEATURES, key));
}
