import type { Context } from '../../kernel/context.ts';
import { notFound } from '../../kernel/errors/errors.ts';
import { type KeysetPage, keysetPage } from '../../platform/http/index.ts';
import type { Db } from '../../platform/postgres/index.ts';
import type { Foundation } from '../../system-log/index.ts';
import type { ResourceOfSet } from './resources/change-resources.ts';
import { findResource, readResources, type SetResource } from './resources/resource-store.ts';
import { findResourceSet, type ResourceSet, readResourceSets } from './store.ts';

type RawQuery = readonly (readonly [name: string, value: string])[];

type Ports = Pick<Foundation, 'db' | 'cursors'>;

/** Returns a resource set by id or label. 404 E0000007. */
export async function getResourceSet(db: Db, context: Context, idOrLabel: string): Promise<ResourceSet> {
  const set = await findResourceSet(db, context.orgId, idOrLabel);
  if (set === undefined) throw notFound(idOrLabel, 'ResourceSet');
  return set;
}

const PAGE_SIZE = 100;

/** Lists one page of the org's resource sets, by id. 400 E0000001 for a cursor that is not this list's. */
export const listResourceSets = (
  { cursors, db }: Ports,
  context: Context,
  after: string | undefined,
  query: RawQuery,
): Promise<KeysetPage<ResourceSet>> =>
  keysetPage(
    cursors,
    { orgId: context.orgId, list: 'listResourceSets', limit: PAGE_SIZE, after, before: undefined, query },
    (set: ResourceSet) => set.id,
    (request) => readResourceSets(db, context.orgId, request),
  );

/** Lists one page of the resources in a set, by id. 404 E0000007; 400 E0000001. */
export async function listResources(
  { cursors, db }: Ports,
  context: Context,
  idOrLabel: string,
  wanted: { readonly after: string | undefined; readonly limit: number },
  query: RawQuery,
): Promise<KeysetPage<SetResource> & { readonly set: ResourceSet }> {
  const set = await getResourceSet(db, context, idOrLabel);
  const list = `listResourceSetResources ${set.id}`;
  const page = await keysetPage(
    cursors,
    { orgId: context.orgId, list, ...wanted, before: undefined, query },
    (resource: SetResource) => resource.id,
    (request) => readResources(db, context.orgId, set.id, request),
  );
  return { ...page, set };
}

/** 404 E0000007. */
export async function getResource(
  db: Db,
  context: Context,
  idOrLabel: string,
  resourceId: string,
): Promise<ResourceOfSet> {
  const set = await getResourceSet(db, context, idOrLabel);
  const resource = await findResource(db, context.orgId, set.id, resourceId);
  if (resource === undefined) throw notFound(resourceId, 'ResourceSetResource');
  return { set, resource };
}
