import { assertHolds } from '../../access/index.ts';
import type { Context } from '../../kernel/context.ts';
import { type ApiError, invalid, notFound } from '../../kernel/errors/errors.ts';
import type { Problem } from '../../kernel/errors/problems.ts';
import type { Tx } from '../../platform/postgres/index.ts';
import { type NamedResource, namesOf } from './resources/resource-names.ts';
import { findMissing, findResources, isEveryoneAmong, type SetResource } from './resources/resource-store.ts';
import { findBoundPermissions, findResourceSetForUpdate } from './store.ts';
import type { ToldSet } from './wire.ts';

export const MAXIMUM_RESOURCES = 1_000;

export async function lockResourceSet(tx: Tx, context: Context, idOrLabel: string): Promise<ToldSet> {
  const set = await findResourceSetForUpdate(tx, context.orgId, idOrLabel);
  if (set === undefined) throw notFound(idOrLabel, 'ResourceSet');
  return { set, resources: await findResources(tx, context.orgId, set.id, MAXIMUM_RESOURCES) };
}

/** Throws 403 E0000006 unless the caller holds, on these resources, everything that the set's bound roles grant. */
export async function assertMayReach(
  tx: Tx,
  context: Context,
  setId: string,
  resources: readonly SetResource[],
): Promise<void> {
  const permissions = await findBoundPermissions(tx, context.orgId, setId);
  const reached = resources.map(({ excluded, key, kind }) => ({ kind, key: key === '' ? null : key, excluded }));
  const held = permissions.map((name) => ({ name, conditions: null }));
  assertHolds(context, [{ type: 'CUSTOM', targets: null, custom: { permissions: held, resources: reached } }]);
}

/** The group Everyone has no membership rows, so excluding its members would have no effect. */
export async function assertLeavesSome(tx: Tx, context: Context, { excluded }: SetResource): Promise<void> {
  const groupIds = excluded.flatMap(({ key, kind }) => (kind === 'groupUsers' && key !== null ? [key] : []));
  if (!(await isEveryoneAmong(tx, context.orgId, groupIds))) return;
  throw invalid('conditions', 'must not exclude everyone.');
}

const refused = (problem: Problem): ApiError => invalid('resources', problem);

export async function assertAddable(
  tx: Tx,
  context: Context,
  present: number,
  added: readonly NamedResource[],
): Promise<void> {
  if (present + added.length > MAXIMUM_RESOURCES)
    throw refused(`A resource set may have at most ${MAXIMUM_RESOURCES} resources.`);
  const missing = await findMissing(tx, context.orgId, added);
  if (missing !== undefined) throw refused(`${namesOf(missing, context).orn} is not a resource of this org.`);
}
