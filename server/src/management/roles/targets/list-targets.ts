import { ROLES } from '../../../access/index.ts';
import type { Context } from '../../../kernel/context.ts';
import { apiError, notFound } from '../../../kernel/errors/errors.ts';
import { type KeysetPage, type KeysetRequest, keysetPage } from '../../../platform/http/index.ts';
import type { Db } from '../../../platform/postgres/index.ts';
import type { Foundation } from '../../../system-log/index.ts';
import { findApps, type NamedApp } from '../assignments/assignee-store.ts';
import { getOwnStandardRole, listRoleAssignments } from '../assignments/get-role-assignments.ts';
import { base32 } from '../rules.ts';
import type { StandardAssignment } from '../store.ts';
import type { AssignmentPlace } from './change-targets.ts';
import { type RoleTarget, readTargetPage, readTargets } from './target-store.ts';

export type TargetPorts = Pick<Foundation, 'db' | 'cursors'>;

export interface TargetPageQuery {
  readonly after: string | undefined;
  readonly limit: number;
}

type RawQuery = readonly (readonly [name: string, value: string])[];

export async function listTargets(
  { cursors, db }: TargetPorts,
  context: Context,
  { assigneeId, assignmentId, kind }: AssignmentPlace,
  targetKind: 'groups' | 'apps',
  { after, limit }: TargetPageQuery,
  query: RawQuery,
): Promise<KeysetPage<RoleTarget>> {
  const { orgId } = context;
  const assignment = await getOwnStandardRole(db, context, kind, assigneeId, assignmentId);
  if (ROLES[assignment.roleType].targets !== targetKind) throw apiError('E0000091');
  return keysetPage(
    cursors,
    { orgId, list: `targets ${assigneeId} ${assignmentId}`, limit, after, before: undefined, query },
    ({ key }: RoleTarget) => key,
    (request) => readTargetPage(db, orgId, assignment, request),
  );
}

export async function appsOf(
  db: Db,
  { orgId }: Context,
  targets: readonly RoleTarget[],
): Promise<ReadonlyMap<string, NamedApp>> {
  const ids = targets.flatMap(({ key, type }) => (type === 'APP' ? [key] : []));
  const apps = ids.length === 0 ? [] : await findApps(db, orgId, ids);
  return new Map(apps.map((app) => [app.id, app]));
}

export interface HeldTarget {
  readonly assignmentType: 'USER' | 'GROUP';
  readonly target: RoleTarget;
  /** The sort key of the target, from which a page can continue. */
  readonly place: string;
}

async function heldTargets(db: Db, context: Context, assignment: StandardAssignment): Promise<HeldTarget[]> {
  const assignmentType = assignment.kind === 'USER' ? 'USER' : 'GROUP';
  const targets = await readTargets(db, context.orgId, assignment);
  return targets.map((target) => ({
    assignmentType,
    target,
    place: [assignmentType, assignment.assigneeId, target.key].join(' '),
  }));
}

function slice(all: readonly HeldTarget[], { key, rows }: KeysetRequest<string>): readonly HeldTarget[] {
  return all.filter(({ place }) => key === null || place > key).slice(0, rows);
}

/** `role` is the type of the role, its Base32 form, or the id of an assignment. */
export async function listTargetsOfUser(
  { cursors, db }: TargetPorts,
  context: Context,
  userId: string,
  role: string,
  wanted: TargetPageQuery & { readonly assignmentType: 'USER' | 'GROUP' | undefined },
  query: RawQuery,
): Promise<KeysetPage<HeldTarget>> {
  const assignments = await listRoleAssignments(db, context, 'USER', userId);
  const isAsked = (assignment: StandardAssignment): boolean =>
    assignment.roleType === role || assignment.id === role || base32(assignment.roleType) === role;
  const standard = assignments.filter((assignment) => assignment.custom === null).filter(isAsked);
  if (standard.length === 0) throw notFound(role, 'RoleAssignment');
  const ofType = standard.filter(({ kind }) => wanted.assignmentType === undefined || kind === wanted.assignmentType);
  const held = (await Promise.all(ofType.map((assignment) => heldTargets(db, context, assignment)))).flat();
  const all = held.toSorted((one, other) => (one.place < other.place ? -1 : 1));
  const { after, limit } = wanted;
  return keysetPage(
    cursors,
    { orgId: context.orgId, list: `targets of ${userId} ${role}`, limit, after, before: undefined, query },
    ({ place }: HeldTarget) => place,
    async (request) => slice(all, request),
  );
}
