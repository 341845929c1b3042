import type { OrgId } from '../../../kernel/words/ids.ts';
import type { Job, JobAgain, JobKind } from '../../../platform/jobs/index.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import { type Foundation, systemContext } from '../../../system-log/index.ts';
import type { LeavingAttribute } from '../attributes/attribute.ts';
import {
  findProfileSchema,
  lockProfileSchemaExclusively,
  lockProfileSchemaShared,
  storeProfileSchema,
} from '../profiles/profile-schema-store.ts';
import { findUserType, lockSchemaShared, lockUserTypes, type UserType, updateUserType } from '../store.ts';
import { freeNumber, PURGE_ATTRIBUTE, purgeSome } from './apply-changes.ts';
import type { SchemaOwner } from './followers-store.ts';

export type SchemaJobPorts = Pick<Foundation, 'work' | 'clock' | 'namespace'>;

const without = (leaving: readonly LeavingAttribute[], name: string): LeavingAttribute[] =>
  leaving.filter((attribute) => attribute.name !== name);

const isGivenAgain = (types: readonly UserType[], { attributeId, name }: LeavingAttribute): boolean =>
  types
    .flatMap(({ custom, leaving }): readonly LeavingAttribute[] => [...custom, ...leaving])
    .some((other) => other.attributeId === attributeId && other.name !== name);

/**
 * Frees the number and the name of a removed attribute that the profiles no longer contain. Returns false if index rows
 * may be left.
 */
async function forgetLeaving(tx: Tx, orgId: OrgId, owner: SchemaOwner, attribute: LeavingAttribute): Promise<boolean> {
  const { name } = attribute;
  if (owner.kind === 'USER') {
    const types = await lockUserTypes(tx, orgId);
    if (isGivenAgain(types, attribute)) return true;
    if (!(await freeNumber(tx, orgId, owner, attribute))) return false;
    const type = types.find(({ id }) => id === owner.id);
    if (type !== undefined) await updateUserType(tx, orgId, { ...type, leaving: without(type.leaving, name) });
    return true;
  }
  await lockProfileSchemaExclusively(tx, orgId, owner.id);
  if (!(await freeNumber(tx, orgId, owner, attribute))) return false;
  const row = await findProfileSchema(tx, orgId, owner.id);
  if (row !== undefined) {
    await storeProfileSchema(tx, orgId, owner.id, { ...row, leaving: without(row.leaving, name) });
  }
  return true;
}

/**
 * Returns whether the attribute is still being removed, and lets no change of the schema be committed before this
 * transaction ends. Its name may have been given to a new attribute, whose values must stay.
 */
async function isStillLeaving(tx: Tx, orgId: OrgId, owner: SchemaOwner, attribute: LeavingAttribute): Promise<boolean> {
  if (owner.kind === 'USER') await lockSchemaShared(tx, orgId, owner.id);
  else await lockProfileSchemaShared(tx, orgId, owner.id);
  const found =
    owner.kind === 'USER' ? await findUserType(tx, orgId, owner.id) : await findProfileSchema(tx, orgId, owner.id);
  if (found === undefined) return true;
  return found.leaving.some(
    ({ attributeId, name }) => attributeId === attribute.attributeId && name === attribute.name,
  );
}

/** Writers whose locks blocked the removal can finish in this time. */
const PAUSE_MILLISECONDS = 200;

async function purge(ports: SchemaJobPorts, { orgId, payload }: Job): Promise<JobAgain | undefined> {
  const { clock, namespace, work } = ports;
  const kind = payload['kind'] === 'USER' || payload['kind'] === 'GROUP' ? payload['kind'] : 'APP_USER';
  const owner: SchemaOwner = { kind, id: String(payload['ownerId']) };
  const attribute = { name: String(payload['name']), attributeId: Number(payload['attributeId']) };
  const context = systemContext({ orgId, namespace, name: 'schemas', now: clock.now() });
  const isDone = await work(context, async (tx) => {
    if (!(await isStillLeaving(tx, orgId, owner, attribute))) return true;
    const isEmpty = await purgeSome(tx, orgId, owner, attribute);
    return isEmpty && (await forgetLeaving(tx, orgId, owner, attribute));
  });
  return isDone ? undefined : { runAgainAt: new Date(clock.now().getTime() + PAUSE_MILLISECONDS) };
}

/**
 * Defines the job that completes the removal of an attribute if too many profiles had a value for it, or some were
 * locked.
 */
export const schemaJobs = (ports: SchemaJobPorts): Readonly<Record<string, JobKind>> => ({
  [PURGE_ATTRIBUTE]: { run: (job) => purge(ports, job) },
});
