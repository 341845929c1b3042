import { type Field, fieldTable, matches, readFilter } from '../../../filter/index.ts';
import type { Context } from '../../../kernel/context.ts';
import { apiError, invalidObject, notFound } from '../../../kernel/errors/errors.ts';
import { limitReached, notOneOf } from '../../../kernel/errors/field-errors.ts';
import { wholeSecond } from '../../../kernel/texts/dates.ts';
import { type Grant, type KeysetPage, keysetPage } from '../../../platform/http/index.ts';
import { type Tx, waitForOthers } from '../../../platform/postgres/index.ts';
import type { Target } from '../../../system-log/index.ts';
import { findUserById } from '../../users/index.ts';
import type { OwnerInput } from '../contract.ts';
import type { GroupsPorts, PageQuery } from '../ports.ts';
import type { GroupRow } from '../records/group-row.ts';
import { assertCovered, assertVisibleUser, readGroup, visibleTo } from '../records/guards.ts';
import { findGroup, lockGroup } from '../store.ts';
import { groupTarget } from '../wire.ts';
import {
  countOwners,
  findOwner,
  type GroupOwner,
  insertOwner,
  OWNER_TYPES,
  type OwnerType,
  readOwners,
  removeOwner,
} from './owner-store.ts';

/** The contract defines this text. */
const ALREADY_OWNER = 'Provided owner is already assigned to this group';

export const MAXIMUM_OWNERS = 1_000;

const TYPE: Field = { name: 'type', type: 'string', operators: ['eq', 'ne', 'pr'] };
const OWNER_FIELDS = fieldTable([TYPE]);

const ownerTarget = ({ displayName, id, type }: GroupOwner): Target => ({
  id,
  type: type === 'USER' ? 'User' : 'UserGroup',
  alternateId: 'unknown',
  displayName,
});

function ownerEvent(group: GroupRow, before: GroupOwner | null, after: GroupOwner | null) {
  const owner = before ?? after;
  const changeDetails = { from: { owner: before?.id ?? null }, to: { owner: after?.id ?? null } };
  return {
    eventType: 'resource.owner.update',
    target: [{ ...groupTarget(group), changeDetails }, ...(owner === null ? [] : [ownerTarget(owner)])],
  } as const;
}

const isOwnerType = (type: string): type is OwnerType => OWNER_TYPES.some((known) => known === type);

async function assertOwnerExists(tx: Tx, context: Context, { id, type }: OwnerInput): Promise<void> {
  if (type === 'USER') await assertVisibleUser(tx, context, id);
  else assertCovered(visibleTo(context, 'groups.read'), id);
  const found = type === 'USER' ? await findUserById(tx, context.orgId, id) : await lockGroup(tx, context.orgId, id);
  if (found === undefined) throw notFound(id, type === 'USER' ? 'User' : 'UserGroup');
}

export async function assignGroupOwner(
  ports: GroupsPorts,
  context: Context,
  grant: Grant,
  groupId: string,
  input: OwnerInput,
): Promise<GroupOwner> {
  await readGroup(ports.db, context, grant, groupId);
  const { id, type } = input;
  if (!isOwnerType(type)) throw notOneOf('type', OWNER_TYPES);
  if (id === groupId) throw invalidObject('owner', ['A group cannot own itself.']);
  return ports.work(context, async (tx, record) => {
    const group = await lockGroup(tx, context.orgId, groupId);
    if (group === undefined) throw notFound(groupId, 'UserGroup');
    if (group.type === 'BUILT_IN') throw apiError('E0000006');
    await assertOwnerExists(tx, context, input);
    await waitForOthers(tx, context.orgId, `group_owners:${groupId}`);
    if ((await countOwners(tx, context.orgId, groupId, MAXIMUM_OWNERS)) >= MAXIMUM_OWNERS) {
      throw limitReached('owner', MAXIMUM_OWNERS, 'owners', 'A group');
    }
    const isNew = await insertOwner(tx, context.orgId, groupId, { id, type, assignedAt: wholeSecond(context.now) });
    const owner = await findOwner(tx, context.orgId, groupId, id);
    if (!isNew || owner === undefined) throw invalidObject('owner', [ALREADY_OWNER]);
    record(ownerEvent(group, null, owner));
    return owner;
  });
}

export async function deleteGroupOwner(
  ports: GroupsPorts,
  context: Context,
  grant: Grant,
  groupId: string,
  ownerId: string,
): Promise<void> {
  await readGroup(ports.db, context, grant, groupId);
  await ports.work(context, async (tx, record) => {
    const group = await findGroup(tx, context.orgId, groupId);
    if (group === undefined) throw notFound(groupId, 'UserGroup');
    const owner = await findOwner(tx, context.orgId, groupId, ownerId);
    const isRemoved = owner !== undefined && (await removeOwner(tx, context.orgId, groupId, ownerId));
    // Recorded responses name this type.
    if (!isRemoved) throw notFound(ownerId, 'LinkedObject');
    record(ownerEvent(group, owner, null));
  });
}

export async function listGroupOwners(
  ports: GroupsPorts,
  context: Context,
  grant: Grant,
  groupId: string,
  { after, before, limit, raw, search }: PageQuery & { readonly search: string | undefined },
): Promise<KeysetPage<GroupOwner>> {
  const expression = search === undefined ? null : readFilter(search, OWNER_FIELDS);
  const types = OWNER_TYPES.filter((type) => expression === null || matches(expression, { type }));
  await readGroup(ports.db, context, grant, groupId);
  return keysetPage(
    ports.cursors,
    { orgId: context.orgId, list: `listGroupOwners:${groupId}`, limit, after, before, query: raw },
    (owner: GroupOwner) => owner.id,
    (request) => readOwners(ports.db, context.orgId, groupId, types, request),
  );
}
