import { assertHolds, ROLES } from '../../../access/index.ts';
import type { Context } from '../../../kernel/context.ts';
import { apiError, notFound } from '../../../kernel/errors/errors.ts';
import { wholeSecond } from '../../../kernel/texts/dates.ts';
import { wholeRole } from '../../../kernel/words/held-role.ts';
import type { AppId } from '../../../kernel/words/ids.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import type { Work } from '../../../system-log/index.ts';
import {
  type Assignee,
  type AssigneeKind,
  findApps,
  findAssignee,
  hasAppNamed,
} from '../assignments/assignee-store.ts';
import { lockAssignee } from '../assignments/assignees.ts';
import { targetEvent } from '../assignments/role-change.ts';
import { noteTargeted, readAssignments, type StandardAssignment } from '../store.ts';
import { insertTarget, type RoleTarget, readTargets, removeTargets } from './target-store.ts';

export interface AssignmentPlace {
  readonly kind: AssigneeKind;
  readonly assigneeId: string;
  readonly assignmentId: string;
}

export type TargetInput =
  | { readonly type: 'GROUP'; readonly groupId: string }
  | { readonly type: 'APP'; readonly appName: string; readonly appId: AppId }
  | { readonly type: 'APP_NAME'; readonly appName: string };

interface Locked {
  readonly assignee: Assignee;
  readonly assignment: StandardAssignment;
  readonly targets: readonly RoleTarget[];
}

/** Locks the assignee and reads the assignment with its targets. */
async function lockAssignment(
  tx: Tx,
  context: Context,
  { assigneeId, assignmentId, kind }: AssignmentPlace,
  targetKind: 'groups' | 'apps',
): Promise<Locked> {
  const assignee = await lockAssignee(tx, context, kind, assigneeId);
  const all = await readAssignments(tx, context.orgId, kind, assigneeId);
  const assignment = all.find(({ id }) => id === assignmentId);
  if (assignment === undefined) throw notFound(assignmentId, 'RoleAssignment');
  if (assignment.custom !== null || ROLES[assignment.roleType].targets !== targetKind) throw apiError('E0000091');
  assertHolds(context, [wholeRole(assignment.roleType)]);
  return { assignee, assignment, targets: await readTargets(tx, context.orgId, assignment) };
}

const kindOfTarget = ({ type }: TargetInput): 'groups' | 'apps' => (type === 'GROUP' ? 'groups' : 'apps');

/** The app names that are valid targets even if no app of the org has the name. */
const WELL_KNOWN_NAMES: ReadonlySet<string> = new Set([
  'bookmark',
  'oidc_client',
  'template_basic_auth',
  'template_sps',
  'template_swa',
  'template_swa3field',
  'template_wsfed',
]);

async function findTarget(tx: Tx, context: Context, input: TargetInput): Promise<RoleTarget> {
  const { orgId } = context;
  if (input.type === 'GROUP') {
    const group = await findAssignee(tx, orgId, 'GROUP', input.groupId);
    if (group === undefined) throw notFound(input.groupId, 'UserGroup');
    return { type: 'GROUP', key: group.id };
  }
  if (input.type === 'APP') {
    const [app] = await findApps(tx, orgId, [input.appId]);
    if (app === undefined || app.name !== input.appName) throw notFound(input.appId, 'AppInstance');
    return { type: 'APP', key: app.id };
  }
  const isKnown = WELL_KNOWN_NAMES.has(input.appName) || (await hasAppNamed(tx, orgId, input.appName));
  if (!isKnown) throw notFound(input.appName, 'CatalogApplication');
  return { type: 'APP_NAME', key: input.appName };
}

const isIn = (targets: readonly RoleTarget[], key: string): boolean => targets.some((target) => target.key === key);

/**
 * A target for all apps with one name makes targets for single apps with that name superfluous. Returns the ids of
 * these apps.
 */
async function overridden(
  tx: Tx,
  context: Context,
  targets: readonly RoleTarget[],
  { key, type }: RoleTarget,
): Promise<readonly string[]> {
  if (type !== 'APP_NAME') return [];
  const ids = targets.flatMap((target) => (target.type === 'APP' ? [target.key] : []));
  const apps = await findApps(tx, context.orgId, ids);
  return apps.filter(({ name }) => name === key).map(({ id }) => id);
}

/** Adds a target to a role. The first target restricts the role; further targets extend its reach. */
export function addTarget(work: Work, context: Context, place: AssignmentPlace, input: TargetInput): Promise<void> {
  return work(context, async (tx, record) => {
    const { assignee, assignment, targets } = await lockAssignment(tx, context, place, kindOfTarget(input));
    const target = await findTarget(tx, context, input);
    if (isIn(targets, target.key) || (input.type === 'APP' && isIn(targets, input.appName))) return;
    const now = wholeSecond(context.now);
    const gone = await overridden(tx, context, targets, target);
    await removeTargets(tx, context.orgId, assignment, gone);
    await insertTarget(tx, context.orgId, assignment, target, now);
    await noteTargeted(tx, context.orgId, { ...assignment, isTargeted: true, lastUpdatedAt: now });
    const after = [...targets.filter(({ key }) => !gone.includes(key)), target];
    record(targetEvent(assignee, assignment, assignment.isTargeted ? targets : null, after));
  });
}

/** The last target cannot be removed, because without it the role would reach nothing. */
export function removeTarget(work: Work, context: Context, place: AssignmentPlace, input: TargetInput): Promise<void> {
  return work(context, async (tx, record) => {
    const { assignee, assignment, targets } = await lockAssignment(tx, context, place, kindOfTarget(input));
    const target = await findTarget(tx, context, input);
    if (!isIn(targets, target.key)) throw notFound(target.key, 'RoleTarget');
    const after = targets.filter(({ key }) => key !== target.key);
    if (after.length === 0) {
      throw apiError('E0000006', {
        causes: ['target: The last target of a role cannot be removed. Remove the role instead.'],
      });
    }
    await removeTargets(tx, context.orgId, assignment, [target.key]);
    await noteTargeted(tx, context.orgId, { ...assignment, lastUpdatedAt: wholeSecond(context.now) });
    record(targetEvent(assignee, assignment, targets, after));
  });
}

/** Makes a role that was narrowed to some apps reach all apps again. */
export function targetAllApps(work: Work, context: Context, place: AssignmentPlace): Promise<void> {
  return work(context, async (tx, record) => {
    const { assignee, assignment, targets } = await lockAssignment(tx, context, place, 'apps');
    if (!assignment.isTargeted) return;
    const keys = targets.map(({ key }) => key);
    await removeTargets(tx, context.orgId, assignment, keys);
    const lastUpdatedAt = wholeSecond(context.now);
    await noteTargeted(tx, context.orgId, { ...assignment, isTargeted: false, lastUpdatedAt });
    record(targetEvent(assignee, assignment, targets, null));
  });
}
