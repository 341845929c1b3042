import type { Context } from '../../kernel/context.ts';
import { wireDate } from '../../kernel/texts/dates.ts';
import { FIRST_REVISION, type Version } from '../../kernel/version.ts';
import { roleAddress } from '../custom-roles/index.ts';
import { namesOf, setAddress } from '../resource-sets/index.ts';
import type { NamedApp } from './assignments/assignee-store.ts';
import { assigneeAddress } from './assignments/assignees.ts';
import { labelOf } from './assignments/role-change.ts';
import type { Binding } from './bindings/binding.ts';
import type { BindingMember } from './bindings/binding-store.ts';
import type { RoleAssignment } from './store.ts';
import type { HeldTarget } from './targets/list-targets.ts';
import type { RoleTarget } from './targets/target-store.ts';

function linksOf(assignment: RoleAssignment, context: Context): Record<string, unknown> {
  const { assigneeId, custom, id, kind } = assignment;
  const assignee = { href: assigneeAddress({ kind, id: assigneeId }, context) };
  if (custom === null) return { assignee };
  const role = roleAddress(custom.roleId, context);
  const set = setAddress(custom.resourceSetId, context);
  return {
    assignee,
    role: { href: role },
    'resource-set': { href: set },
    permissions: { href: `${role}/permissions` },
    member: { href: `${set}/bindings/${custom.roleId}/members/${id}` },
  };
}

export function wireRoleAssignment(
  assignment: RoleAssignment,
  context: Context,
  embedded: Readonly<Record<string, unknown>> | null = null,
): Record<string, unknown> {
  const { custom, id, kind, roleType } = assignment;
  return {
    id,
    ...(custom === null ? {} : { role: custom.roleId }),
    label: labelOf(assignment),
    type: roleType,
    status: 'ACTIVE',
    created: wireDate(assignment.createdAt),
    lastUpdated: wireDate(assignment.lastUpdatedAt),
    assignmentType: kind,
    ...(custom === null ? {} : { 'resource-set': custom.resourceSetId }),
    ...(embedded === null ? {} : { _embedded: embedded }),
    _links: linksOf(assignment, context),
  };
}

export function wireAppTarget(
  { key }: RoleTarget,
  apps: ReadonlyMap<string, NamedApp>,
  { baseUrl }: Context,
): Record<string, unknown> {
  const app = apps.get(key);
  if (app === undefined) return { name: key, status: 'ACTIVE', _links: { self: { href: `${baseUrl}/api/v1/apps` } } };
  const self = { href: `${baseUrl}/api/v1/apps/${app.id}` };
  return { name: app.label, status: 'ACTIVE', id: app.id, _links: { self } };
}

const RESOURCE_KINDS = { GROUP: 'group', APP: 'app', APP_NAME: 'appName' } as const;

export function wireHeldTarget({ assignmentType, target }: HeldTarget, context: Context): Record<string, unknown> {
  const { address, orn } = namesOf({ kind: RESOURCE_KINDS[target.type], key: target.key }, context);
  return { assignmentType, orn, _links: { self: { href: address } } };
}

export const wireMember = (member: BindingMember, context: Context): Record<string, unknown> => ({
  id: member.id,
  created: wireDate(member.createdAt),
  lastUpdated: wireDate(member.lastUpdatedAt),
  _links: { self: { href: assigneeAddress({ kind: member.kind, id: member.memberId }, context) } },
});

export const roleAssignmentVersion = ({ assigneeId, id, revision }: RoleAssignment): Version => ({
  kind: 'roleAssignment',
  // All assignments of a role that can have targets share one id, so the version also names the assignee.
  id: `${assigneeId}:${id}`,
  revision,
});
export const bindingVersion = ({ revision, role, set }: Binding): Version => ({
  kind: 'roleBinding',
  id: `${set.id}:${role.id}`,
  revision,
});
/** The revision is constant because a member never changes. */
export const memberVersion = ({ id }: BindingMember): Version => ({
  kind: 'bindingMember',
  id,
  revision: FIRST_REVISION,
});

export function wireHolder(userId: string, { baseUrl, namespace, orgId }: Context): Record<string, unknown> {
  const self = `${baseUrl}/api/v1/users/${userId}`;
  return {
    id: userId,
    orn: `orn:${namespace.word}:directory:${orgId}:users:${userId}`,
    _links: { self: { href: self }, roles: { href: `${self}/roles` } },
  };
}
