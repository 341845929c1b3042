import { ROLES } from '../../../access/index.ts';
import type { JsonObject, NewEvent } from '../../../system-log/index.ts';
import type { RoleAssignment } from '../store.ts';
import type { RoleTarget } from '../targets/target-store.ts';
import type { Assignee } from './assignee-store.ts';
import { assigneeTarget, KINDS } from './assignees.ts';

export const labelOf = ({ custom, roleType }: RoleAssignment): string =>
  roleType === 'CUSTOM' ? (custom?.label ?? roleType) : ROLES[roleType].label;

const told = (assignment: RoleAssignment): string =>
  assignment.custom === null ? assignment.roleType : `${assignment.custom.roleId}:${assignment.custom.resourceSetId}`;

const rolesOf = (assignments: readonly RoleAssignment[]): JsonObject => ({ roles: assignments.map(told) });

interface Change {
  readonly kind: 'granted' | 'revoked';
  readonly assignee: Assignee;
  readonly assignment: RoleAssignment;
  readonly from: JsonObject;
  readonly to: JsonObject;
}

function privilegeEvent({ assignee, assignment, from, kind, to }: Change): NewEvent {
  const name = kind === 'granted' ? 'privilegeGranted' : 'privilegeRevoked';
  const debugData: Record<string, string> = { [name]: labelOf(assignment), roleType: assignment.roleType };
  return {
    eventType: KINDS[assignee.kind][kind],
    target: [{ ...assigneeTarget(assignee), changeDetails: { from, to } }],
    debugData,
  };
}

export const roleEvent = (
  kind: Change['kind'],
  assignee: Assignee,
  assignment: RoleAssignment,
  before: readonly RoleAssignment[],
  after: readonly RoleAssignment[],
): NewEvent => privilegeEvent({ kind, assignee, assignment, from: rolesOf(before), to: rolesOf(after) });

const targetsOf = (targets: readonly RoleTarget[] | null): JsonObject => ({
  targets: targets === null ? null : targets.map(({ key, type }) => `${type}:${key}`),
});

/** Null targets mean that the role reaches everything. */
export const targetEvent = (
  assignee: Assignee,
  assignment: RoleAssignment,
  before: readonly RoleTarget[] | null,
  after: readonly RoleTarget[] | null,
): NewEvent => privilegeEvent({ kind: 'granted', assignee, assignment, from: targetsOf(before), to: targetsOf(after) });
