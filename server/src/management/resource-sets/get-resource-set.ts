import type { Context } from '../../kernel/context.ts';
import { notFound } from '../../kernel/errors/errors.ts';
import type { KeysetPage } from '../../platform/http/index.ts';
import type { Db } from '../../platform/postgres/index.ts';
import { type ListPorts, pageById, type RawQuery } from '../resource/index.ts';
import type { ResourceOfSet } from './resources/change-resources.ts';
import { findResource, readResources, type SetResource } from './resources/resource-store.ts';
import { findResourceSet, RESOURCE_SETS, type ResourceSet } from './store.ts';

export async function getResourceSet(db: Db, context: Context, idOrLabel: string): Promise<ResourceSet> {
  const set = await findResourceSet(db, context.orgId, idOrLabel);
  if (set === undefined) throw notFound(idOrLabel, 'ResourceSet');
  return set;
}

const PAGE_SIZE = 100;

export const listResourceSets = (
  ports: ListPorts,
  context: Context,
  after: string | undefined,
  query: RawQuery,
): Promise<KeysetPage<ResourceSet>> =>
  pageById(ports, context, 'listResourceSets', { limit: PAGE_SIZE, after, before: undefined }, query, (request) =>
    RESOURCE_SETS.readPage(ports.db, context.orgId, [], request),
  );

export async function listResources(
  ports: ListPorts,
  context: Context,
  idOrLabel: string,
  wanted: { readonly after: string | undefined; readonly limit: number },
  query: RawQuery,
): Promise<KeysetPage<SetResource> & { readonly set: ResourceSet }> {
  const set = await getResourceSet(ports.db, context, idOrLabel);
  const list = `listResourceSetResources ${set.id}`;
  const page = await pageById(ports, context, list, { ...wanted, before: undefined }, query, (request) =>
    readResources(ports.db, context.orgId, set.id, request),
  );
  return { ...page, set };
}

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
