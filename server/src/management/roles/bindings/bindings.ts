import type { Context } from '../../../kernel/context.ts';
import { invalid, notFound } from '../../../kernel/errors/errors.ts';
import { wholeSecond } from '../../../kernel/texts/dates.ts';
import { assertVersion } from '../../../kernel/version.ts';
import { type KeysetPage, keysetPage } from '../../../platform/http/index.ts';
import type { Db, Tx } from '../../../platform/postgres/index.ts';
import type { Foundation, Work } from '../../../system-log/index.ts';
import { findCustomRole } from '../../custom-roles/index.ts';
import { findResourceSet, lockResourceSet, type ResourceSet } from '../../resource-sets/index.ts';
import { type Assignee, findAssigneeForUpdate, findClientIdOfApp } from '../assignments/assignee-store.ts';
import { lockAssignee } from '../assignments/assignees.ts';
import { bindingVersion, memberVersion } from '../wire.ts';
import {
  addMember,
  assertMayBind,
  assertNotOverfull,
  type Binding,
  type Bound,
  bindingEvent,
  endMembership,
  keyOf,
  MAXIMUM_MEMBERS,
  unknownIn,
} from './binding.ts';
import {
  type BindingMember,
  findBinding,
  findMember,
  findMembers,
  insertBinding,
  readBoundRoles,
  readMembers,
  removeBinding,
} from './binding-store.ts';
import { type MemberReference, readMembersOf } from './member-references.ts';

type Ports = Pick<Foundation, 'db' | 'cursors'>;
type RawQuery = readonly (readonly [name: string, value: string])[];
const PAGE_SIZE = 100;

async function getSet(db: Db, context: Context, idOrLabel: string): Promise<ResourceSet> {
  const set = await findResourceSet(db, context.orgId, idOrLabel);
  if (set === undefined) throw notFound(idOrLabel, 'ResourceSet');
  return set;
}

/** The set and the role can be named by id or label. */
export async function getBinding(db: Db, context: Context, setName: string, roleName: string): Promise<Binding> {
  const set = await getSet(db, context, setName);
  const role = await findCustomRole(db, context.orgId, roleName);
  if (role === undefined) throw notFound(roleName, 'ResourceSetBinding');
  const revision = await findBinding(db, context.orgId, keyOf({ role, set }));
  if (revision === undefined) throw notFound(roleName, 'ResourceSetBinding');
  return { role, set, revision };
}

export async function listBindings(
  { cursors, db }: Ports,
  context: Context,
  setName: string,
  after: string | undefined,
  query: RawQuery,
): Promise<KeysetPage<{ readonly roleId: string }> & { readonly set: ResourceSet }> {
  const set = await getSet(db, context, setName);
  const page = await keysetPage(
    cursors,
    { orgId: context.orgId, list: `listBindings ${set.id}`, limit: PAGE_SIZE, after, before: undefined, query },
    ({ roleId }: { readonly roleId: string }) => roleId,
    (request) => readBoundRoles(db, context.orgId, set.id, request),
  );
  return { ...page, set };
}

export async function listMembers(
  { cursors, db }: Ports,
  context: Context,
  names: { readonly set: string; readonly role: string },
  after: string | undefined,
  query: RawQuery,
): Promise<KeysetPage<BindingMember> & Bound> {
  const bound = await getBinding(db, context, names.set, names.role);
  const list = `listMembersOfBinding ${bound.set.id} ${bound.role.id}`;
  const page = await keysetPage(
    cursors,
    { orgId: context.orgId, list, limit: PAGE_SIZE, after, before: undefined, query },
    ({ id }: BindingMember) => id,
    (request) => readMembers(db, context.orgId, keyOf(bound), request),
  );
  return { ...page, ...bound };
}

export async function getMember(
  db: Db,
  context: Context,
  names: { readonly set: string; readonly role: string },
  memberId: string,
): Promise<BindingMember> {
  const bound = await getBinding(db, context, names.set, names.role);
  const member = await findMember(db, context.orgId, keyOf(bound), memberId);
  if (member === undefined) throw notFound(memberId, 'ResourceSetBindingMember');
  return member;
}

type RecordEvent = Parameters<Parameters<Work>[1]>[1];

type Named = Pick<Assignee, 'id' | 'kind'>;

/** Drops duplicates, because a client can be named in two ways. */
async function namedBy(tx: Tx, { orgId }: Context, references: readonly MemberReference[]): Promise<Named[]> {
  const named = new Map<string, Named>();
  for (const reference of references) {
    const { kind } = reference;
    const id = 'id' in reference ? reference.id : await findClientIdOfApp(tx, orgId, reference.appId);
    if (id === undefined) throw invalid('members', 'There is no such client.');
    named.set(`${kind} ${id}`, { kind, id });
  }
  return [...named.values()];
}

/** Adds members in a fixed order, so that concurrent additions do not deadlock. */
async function addAll(
  tx: Tx,
  record: RecordEvent,
  context: Context,
  bound: Bound,
  members: readonly MemberReference[],
): Promise<void> {
  const named = await namedBy(tx, context, members);
  for (const { id, kind } of named.toSorted((one, other) => (one.id < other.id ? -1 : 1))) {
    const isThere = (await findAssigneeForUpdate(tx, context.orgId, kind, id)) !== undefined;
    if (!isThere) throw invalid('members', `There is no ${kind.toLowerCase()} ${id}.`);
    await addMember(tx, record, context, bound, await lockAssignee(tx, context, kind, id));
  }
  await assertNotOverfull(tx, context, bound);
}

export function createBinding(
  work: Work,
  context: Context,
  setName: string,
  input: { readonly role: string; readonly members: readonly string[] },
): Promise<Bound> {
  const members = readMembersOf(input.members, context);
  return work(context, async (tx, record) => {
    const { set } = await lockResourceSet(tx, context, setName);
    const role = await findCustomRole(tx, context.orgId, input.role);
    if (role === undefined) throw unknownIn('role');
    const bound = { role, set };
    await assertMayBind(tx, context, bound);
    if (!(await insertBinding(tx, context.orgId, keyOf(bound), wholeSecond(context.now)))) {
      throw invalid('role', 'is already bound to this resource set.');
    }
    const changeDetails = { from: { role: null }, to: { role: role.id } };
    record(bindingEvent('iam.resourceset.bindings.add', bound, changeDetails));
    await addAll(tx, record, context, bound, members);
    return bound;
  });
}

export function addMembersToBinding(
  work: Work,
  context: Context,
  names: { readonly set: string; readonly role: string },
  additions: readonly string[],
): Promise<Bound> {
  const members = readMembersOf(additions, context);
  return work(context, async (tx, record) => {
    await lockResourceSet(tx, context, names.set);
    const bound = await getBinding(tx, context, names.set, names.role);
    await assertMayBind(tx, context, bound);
    await addAll(tx, record, context, bound, members);
    return bound;
  });
}

export function removeMemberOfBinding(
  work: Work,
  context: Context,
  names: { readonly set: string; readonly role: string },
  memberId: string,
): Promise<void> {
  return work(context, async (tx, record) => {
    const bound = await getBinding(tx, context, names.set, names.role);
    await assertMayBind(tx, context, bound);
    const member = await findMember(tx, context.orgId, keyOf(bound), memberId);
    if (member === undefined) throw notFound(memberId, 'ResourceSetBindingMember');
    assertVersion(context, memberVersion(member));
    const assignee = await lockAssignee(tx, context, member.kind, member.memberId);
    const isEnded = await endMembership(tx, record, context, bound, assignee, memberId);
    if (!isEnded) throw notFound(memberId, 'ResourceSetBindingMember');
  });
}

export function deleteBinding(work: Work, context: Context, setName: string, roleName: string): Promise<void> {
  return work(context, async (tx, record) => {
    await lockResourceSet(tx, context, setName);
    const bound = await getBinding(tx, context, setName, roleName);
    assertVersion(context, bindingVersion(bound));
    await assertMayBind(tx, context, bound);
    const members = await findMembers(tx, context.orgId, keyOf(bound), MAXIMUM_MEMBERS);
    await removeBinding(tx, context.orgId, keyOf(bound));
    const from = { role: bound.role.id, members: members.map(({ memberId }) => memberId) };
    const changeDetails = { from, to: { role: null, members: [] } };
    record(bindingEvent('iam.resourceset.bindings.delete', bound, changeDetails));
  });
}
