import type { Context } from '../../kernel/context.ts';
import { invalid } from '../../kernel/errors/errors.ts';
import { wholeSecond } from '../../kernel/texts/dates.ts';
import { assertVersion, FIRST_REVISION } from '../../kernel/version.ts';
import { newId, orgSuffixOf } from '../../kernel/words/ids.ts';
import type { Work } from '../../system-log/index.ts';
import { readDescription, readLabel } from '../custom-roles/index.ts';
import { assertRoom, createOnce } from '../resource/index.ts';
import type { CreateSetInput, ReplaceSetInput } from './contract.ts';
import { assertAddable, assertMayReach, lockResourceSet } from './lock-resource-set.ts';
import { type NamedResource, readResource } from './resources/resource-names.ts';
import { insertResources, type SetResource } from './resources/resource-store.ts';
import { findResourceSet, RESOURCE_SETS, type ResourceSet } from './store.ts';
import { resourceSetChange, resourceSetVersion } from './wire.ts';

export const MAXIMUM_SETS = 10_000;

/** Reads resource references and drops duplicates. */
export function readResources(references: readonly string[], context: Context): readonly NamedResource[] {
  const named = references.map((text) => readResource(text, context));
  return [...new Map(named.map((one) => [`${one.kind} ${one.key}`, one])).values()];
}

export const newResource = (context: Context, named: NamedResource): SetResource => {
  const now = wholeSecond(context.now);
  const id = newId('resourceSetResource', orgSuffixOf(context.orgId));
  return { ...named, id, excluded: [], createdAt: now, lastUpdatedAt: now, revision: FIRST_REVISION };
};

export function createResourceSet(work: Work, context: Context, input: CreateSetInput): Promise<ResourceSet> {
  const { orgId } = context;
  const now = wholeSecond(context.now);
  const label = readLabel(input.label);
  const description = readDescription(input.description);
  const id = newId('resourceSet', orgSuffixOf(orgId));
  const set = { id, label, description, createdAt: now, lastUpdatedAt: now, revision: FIRST_REVISION };
  const resources = readResources(input.resources, context).map((named) => newResource(context, named));
  if (resources.length === 0) throw invalid('resources', 'must have at least one entry.');
  return work(context, (tx, record) =>
    createOnce(tx, context, set.id, findResourceSet, async () => {
      await assertRoom(tx, context, RESOURCE_SETS, { maximum: MAXIMUM_SETS, field: 'label', plural: 'resource sets' });
      await assertAddable(tx, context, 0, resources);
      await RESOURCE_SETS.insert(tx, orgId, set);
      await insertResources(tx, orgId, set.id, resources);
      record({ eventType: 'iam.resourceset.create', target: [resourceSetChange([null, { set, resources }], context)] });
      return set;
    }),
  );
}

export function replaceResourceSet(
  work: Work,
  context: Context,
  idOrLabel: string,
  input: ReplaceSetInput,
): Promise<ResourceSet> {
  return work(context, async (tx, record) => {
    const before = await lockResourceSet(tx, context, idOrLabel);
    assertVersion(context, resourceSetVersion(before.set));
    const label = input.label === undefined ? before.set.label : readLabel(input.label, before.set.label);
    const stored = before.set.description;
    const description = input.description === undefined ? stored : readDescription(input.description, stored);
    const given = { label, description };
    if (given.label === before.set.label && given.description === before.set.description) return before.set;
    const lastUpdatedAt = wholeSecond(context.now);
    const set = { ...before.set, ...given, lastUpdatedAt, revision: before.set.revision + 1 };
    await RESOURCE_SETS.update(tx, context.orgId, set);
    record({
      eventType: 'iam.resourceset.update',
      target: [resourceSetChange([before, { ...before, set }], context)],
    });
    return set;
  });
}

/** Deletes a set with its bindings. */
export function deleteResourceSet(work: Work, context: Context, idOrLabel: string): Promise<void> {
  return work(context, async (tx, record) => {
    const told = await lockResourceSet(tx, context, idOrLabel);
    assertVersion(context, resourceSetVersion(told.set));
    await assertMayReach(tx, context, told.set.id, told.resources);
    await RESOURCE_SETS.remove(tx, context.orgId, told.set.id);
    record({ eventType: 'iam.resourceset.delete', target: [resourceSetChange([told, null], context)] });
  });
}
