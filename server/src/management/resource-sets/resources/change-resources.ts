import { isDeepStrictEqual } from 'node:util';
import type { Context } from '../../../kernel/context.ts';
import { invalid, notFound } from '../../../kernel/errors/errors.ts';
import { wholeSecond } from '../../../kernel/texts/dates.ts';
import { assertVersion } from '../../../kernel/version.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import type { Record, Work } from '../../../system-log/index.ts';
import { newResource, readResources } from '../change-resource-set.ts';
import type { AddResourceInput, ConditionsInput } from '../contract.ts';
import { assertAddable, assertLeavesSome, assertMayReach, lockResourceSet } from '../lock-resource-set.ts';
import { RESOURCE_SETS, type ResourceSet } from '../store.ts';
import { resourceSetChange, resourceVersion, type ToldSet } from '../wire.ts';
import { readExcluded } from './conditions.ts';
import { type NamedResource, readResource } from './resource-names.ts';
import { insertResources, removeResource, type SetResource, updateExcluded } from './resource-store.ts';

const isSame = (one: NamedResource) => (other: NamedResource) => one.kind === other.kind && one.key === other.key;

async function touched(tx: Tx, context: Context, { set }: ToldSet): Promise<ResourceSet> {
  const after = { ...set, lastUpdatedAt: wholeSecond(context.now), revision: set.revision + 1 };
  await RESOURCE_SETS.update(tx, context.orgId, after);
  return after;
}

async function addAll(
  tx: Tx,
  record: Record,
  context: Context,
  before: ToldSet,
  added: readonly SetResource[],
): Promise<ResourceSet> {
  await assertAddable(tx, context, before.resources.length, added);
  await assertMayReach(tx, context, before.set.id, added);
  await insertResources(tx, context.orgId, before.set.id, added);
  const set = await touched(tx, context, before);
  const after = { set, resources: [...before.resources, ...added] };
  record({ eventType: 'iam.resourceset.resources.add', target: [resourceSetChange([before, after], context)] });
  return set;
}

/** Adds resources to a set, except those that it already contains. */
export function addResources(
  work: Work,
  context: Context,
  idOrLabel: string,
  references: readonly string[],
): Promise<ResourceSet> {
  return work(context, async (tx, record) => {
    // An unknown set is refused before the references are read, as a recording shows.
    const before = await lockResourceSet(tx, context, idOrLabel);
    const named = readResources(references, context);
    const added = named.filter((one) => !before.resources.some(isSame(one)));
    if (added.length === 0) return before.set;
    const resources = added.map((one) => newResource(context, one));
    return addAll(tx, record, context, before, resources);
  });
}

export interface ResourceOfSet {
  readonly set: ResourceSet;
  readonly resource: SetResource;
}

export function addResource(
  work: Work,
  context: Context,
  idOrLabel: string,
  input: AddResourceInput,
): Promise<ResourceOfSet> {
  return work(context, async (tx, record) => {
    const before = await lockResourceSet(tx, context, idOrLabel);
    const named = readResource(input.resourceOrnOrUrl, context);
    const excluded = readExcluded(input.conditions, named, context);
    if (before.resources.some(isSame(named))) {
      throw invalid('resourceOrnOrUrl', 'The set already contains this resource.');
    }
    const resource = { ...newResource(context, named), excluded };
    await assertLeavesSome(tx, context, resource);
    return { set: await addAll(tx, record, context, before, [resource]), resource };
  });
}

function resourceOf({ resources }: ToldSet, resourceId: string): SetResource {
  const resource = resources.find(({ id }) => id === resourceId);
  if (resource === undefined) throw notFound(resourceId, 'ResourceSetResource');
  return resource;
}

export function replaceResource(
  work: Work,
  context: Context,
  idOrLabel: string,
  resourceId: string,
  conditions: ConditionsInput | undefined,
): Promise<ResourceOfSet> {
  return work(context, async (tx, record) => {
    const before = await lockResourceSet(tx, context, idOrLabel);
    const old = resourceOf(before, resourceId);
    assertVersion(context, resourceVersion(old));
    const excluded = readExcluded(conditions, old, context);
    if (isDeepStrictEqual(old.excluded, excluded)) return { set: before.set, resource: old };
    const resource = { ...old, excluded, lastUpdatedAt: wholeSecond(context.now), revision: old.revision + 1 };
    await assertLeavesSome(tx, context, resource);
    await assertMayReach(tx, context, before.set.id, [resource]);
    await updateExcluded(tx, context.orgId, before.set.id, resource);
    const set = await touched(tx, context, before);
    const after = { set, resources: before.resources.map((one) => (one.id === resourceId ? resource : one)) };
    record({ eventType: 'iam.resourceset.resources.update', target: [resourceSetChange([before, after], context)] });
    return { set, resource };
  });
}

export function deleteResource(work: Work, context: Context, idOrLabel: string, resourceId: string): Promise<void> {
  return work(context, async (tx, record) => {
    const before = await lockResourceSet(tx, context, idOrLabel);
    const resource = resourceOf(before, resourceId);
    assertVersion(context, resourceVersion(resource));
    await assertMayReach(tx, context, before.set.id, [resource]);
    await removeResource(tx, context.orgId, before.set.id, resourceId);
    const set = await touched(tx, context, before);
    const after = { set, resources: before.resources.filter(({ id }) => id !== resourceId) };
    record({ eventType: 'iam.resourceset.resources.delete', target: [resourceSetChange([before, after], context)] });
  });
}
