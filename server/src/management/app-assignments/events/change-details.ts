import type { OrgId } from '../../../kernel/words/ids.ts';
import { changeTarget, type Json, type JsonObject, type NewEvent, type Target } from '../../../system-log/index.ts';
import { appTarget } from '../../apps/index.ts';
import { groupTarget } from '../../groups/index.ts';
import { userTarget } from '../../users/index.ts';
import type { GroupAssignment } from '../groups/group-store.ts';
import type { AssignableApp } from '../links/app-store.ts';
import type { AppProfile } from '../profiles/profile-rules.ts';
import { type AppUser, assignmentIdOf, scopeOf, userNameOf } from '../users/app-user.ts';
import type { Scope } from '../users/user-store.ts';

type Group = Parameters<typeof groupTarget>[0];

const appTargetOf = (app: AssignableApp): Target => appTarget({ ...app, document: { name: app.name } });

/** Prefixes the names of attributes, so that they cannot collide with other members of the change details. */
const toldProfile = (profile: AppProfile): JsonObject =>
  Object.fromEntries(Object.entries(profile).map(([name, value]) => [`profile.${name}`, value as Json]));

export interface RecordedAssignment extends Pick<AppUser, 'app' | 'user' | 'own'> {
  readonly scope: Scope;
}

/** Returns the assignment as events show it, or null if the user has none. */
export function recordedAssignment(appUser: AppUser): RecordedAssignment | null {
  const scope = scopeOf(appUser);
  const { app, own, user } = appUser;
  return scope === null ? null : { app, own, user, scope };
}

const toldOf = (told: RecordedAssignment): JsonObject => ({
  scope: told.scope,
  userName: userNameOf(told),
  password: (told.own?.sealedPassword ?? null) === null ? null : '(set)',
  ...toldProfile(told.own?.profile ?? {}),
});

function assignmentTarget(told: RecordedAssignment, orgId: OrgId): Target {
  const { displayName, id } = userTarget(told.user);
  return {
    id: assignmentIdOf(orgId, told.app.id, id),
    type: 'AppUser',
    alternateId: userNameOf(told) ?? told.user.login,
    displayName: displayName ?? null,
  };
}

const changed = changeTarget<RecordedAssignment, [OrgId]>(assignmentTarget, toldOf);

export const assignmentTargets = (
  orgId: OrgId,
  change: readonly [before: RecordedAssignment | null, after: RecordedAssignment | null],
): Target[] => {
  const told = change[1] ?? change[0];
  if (told === null) throw new Error('neither before nor after');
  return [changed(change, orgId), appTargetOf(told.app), userTarget(told.user)];
};

/** Returns the targets of the event for a new name that the app's template made from a changed profile. */
export function renamedTargets(orgId: OrgId, told: RecordedAssignment, formerName: string | null): Target[] {
  const changeDetails = { from: { userName: formerName }, to: { userName: userNameOf(told) } };
  return [{ ...assignmentTarget(told, orgId), changeDetails }, appTargetOf(told.app), userTarget(told.user)];
}

type Details = NonNullable<Target['changeDetails']>;

const only = ({ from, to }: Details, names: (name: string) => boolean): Details | null => {
  const pick = (values: JsonObject) => Object.fromEntries(Object.entries(values).filter(([name]) => names(name)));
  const picked = { from: pick(from), to: pick(to) };
  return Object.keys(picked.from).length === 0 ? null : picked;
};

/** Returns the events of an update: at most one each for the name, the password and all other changes. */
export function updateEvents(orgId: OrgId, before: RecordedAssignment, after: RecordedAssignment): NewEvent[] {
  const [target, ...others] = assignmentTargets(orgId, [before, after]);
  if (target === undefined) return [];
  const { changeDetails, ...assignment } = target;
  const of = (eventType: NewEvent['eventType'], details: Details | null): NewEvent[] =>
    details === null ? [] : [{ eventType, target: [{ ...assignment, changeDetails: details }, ...others] }];
  const had = before.own?.sealedPassword ?? null;
  const has = after.own?.sealedPassword ?? null;
  const isReplaced = had !== null && has !== null && !had.equals(has);
  const replaced: Details | null = isReplaced ? { from: { password: '(set)' }, to: { password: '(replaced)' } } : null;
  const details = changeDetails ?? { from: {}, to: {} };
  return [
    ...of(
      'application.user_membership.change_username',
      only(details, (name) => name === 'userName'),
    ),
    ...of('application.user_membership.change_password', replaced ?? only(details, (name) => name === 'password')),
    ...of(
      'application.user_membership.update',
      only(details, (name) => !['userName', 'password'].includes(name)),
    ),
  ];
}

const toldGroup = ({ priority, profile }: GroupAssignment): JsonObject => ({ priority, ...toldProfile(profile) });

const groupChanged = changeTarget<GroupAssignment, [Group]>((_, group) => groupTarget(group), toldGroup);

export const groupAssignmentTargets = (
  change: readonly [before: GroupAssignment | null, after: GroupAssignment | null],
  group: Group,
  app: AssignableApp,
): [Target, Target] => [groupChanged(change, group), appTargetOf(app)];
