import type { Context } from '../../../kernel/context.ts';
import { invalid } from '../../../kernel/errors/errors.ts';
import { wholeSecond } from '../../../kernel/texts/dates.ts';
import type { AppId, OrgId } from '../../../kernel/words/ids.ts';
import { type MasterKey, seal } from '../../../platform/crypto/index.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import type { Record } from '../../../system-log/index.ts';
import type { AppUserInput } from '../contract.ts';
import { assignmentTargets, recordedAssignment, updateEvents } from '../events/change-details.ts';
import { assertNameFree } from '../names/subject-names.ts';
import { nameByTemplate } from '../names/user-names.ts';
import { type LockedAppUserSchema, lockSchema } from '../profiles/app-user-schema.ts';
import { readCredentials } from '../profiles/credential-rules.ts';
import type { MappedUser } from '../profiles/mapper.ts';
import { effectiveProfile, ownProfile } from '../profiles/profile-rules.ts';
import { type AppUser, inheritedOf, profileOf, scopeOf, shownUser } from './app-user.ts';
import { type OwnAssignment, removeOwnAssignment, type Scope, saveOwnAssignment } from './user-store.ts';

export const passwordPlace = (orgId: OrgId, appId: AppId, userId: string) => ({
  orgId,
  table: 'app_users',
  column: 'sealed_password',
  row: `${appId}:${userId}`,
});

/** Returns whether tokens contain the names of the app's users. In other apps, users may share a name. */
const bearsNames = ({ signOnMode }: AppUser['app']): boolean => signOnMode === 'OPENID_CONNECT';

/** Returns whether a row can be deleted because it adds nothing to the group's assignment. */
const saysNothing = ({ profile, scope, sealedPassword, userName }: OwnAssignment): boolean =>
  scope === 'GROUP' && userName === null && sealedPassword === null && Object.keys(profile).length === 0;

/** Returns the row from which a change starts: the stored row if it has this scope, or else a new one. */
function startOf(before: AppUser, scope: Scope, now: Date): OwnAssignment {
  const { app, own, user } = before;
  const was = scopeOf(before);
  if (own !== null && was === scope) return own;
  const made = {
    appId: app.id,
    userId: user.id,
    scope,
    status: 'ACTIVE',
    userName: null,
    sealedPassword: null,
    profile: {},
    createdAt: now,
    statusChangedAt: now,
    lastUpdatedAt: now,
    passwordChangedAt: null,
    revision: 0,
  };
  // A user who had the app through a group keeps their own values.
  if (own === null || was !== 'GROUP') return made;
  const { passwordChangedAt, profile, sealedPassword, userName } = own;
  return { ...made, passwordChangedAt, profile, sealedPassword, userName };
}

/** A name that equals the template's is not stored, so that the name follows later changes to the template. */
function ownName(
  { app }: AppUser,
  shown: MappedUser,
  current: string | null,
  given: string | null | undefined,
): string | null {
  if (given === undefined) return current;
  return given === nameByTemplate(app.userNameTemplate, shown.profile) ? null : given;
}

/**
 * Returns the row after the change. A given value is not stored if it equals an inherited value that the caller can
 * see. A guess at a hidden value is stored like any other value, so that the guess reveals nothing.
 */
function changedBy(
  masterKey: MasterKey,
  context: Context,
  before: AppUser,
  start: OwnAssignment,
  schema: LockedAppUserSchema,
  input: AppUserInput,
  now: Date,
): OwnAssignment {
  const shown = shownUser(context, before.user);
  const { password, userName } = readCredentials(before.app, input.credentials);
  const inherited = inheritedOf(before, start.scope, schema, shown);
  const given = input.profile ?? {};
  const stored = effectiveProfile(start.profile, inherited, []);
  schema.assertGiven(given, stored, effectiveProfile(given, stored, []));
  const profile = ownProfile(start.profile, given, inherited);
  const named = { ...start, profile, userName: ownName(before, shown, start.userName, userName) };
  if (password === undefined) return named;
  if (password === null) return { ...named, sealedPassword: null, passwordChangedAt: null };
  const place = passwordPlace(context.orgId, start.appId, start.userId);
  return { ...named, sealedPassword: seal(masterKey, place, password), passwordChangedAt: now };
}

/** Gives a user an app with this scope, or changes the assignment. Needs the lock on the user's row. */
export async function settleAppUser(
  masterKey: MasterKey,
  tx: Tx,
  context: Context,
  record: Record,
  change: { readonly before: AppUser; readonly scope: Scope; readonly input: AppUserInput },
): Promise<AppUser> {
  const { before, input, scope } = change;
  const { orgId } = context;
  const now = wholeSecond(context.now);
  if (scope === 'GROUP' && before.groups.length === 0) {
    throw invalid('scope', 'must be USER: no group of the user is assigned to the application.');
  }
  const start = startOf(before, scope, now);
  const schema = await lockSchema(tx, context, before.app);
  const wanted = changedBy(masterKey, context, before, start, schema, input, now);
  schema.assertWhole(profileOf({ ...before, own: wanted }, schema));
  const { userName } = wanted;
  const isNewName = userName !== null && userName !== (before.own?.userName ?? null);
  if (isNewName && bearsNames(before.app)) {
    await assertNameFree(tx, context, { appId: before.app.id, userId: before.user.id, name: userName });
  }
  const was = recordedAssignment(before);
  const candidate = { ...before, own: saysNothing(wanted) ? null : wanted };
  const is = recordedAssignment(candidate);
  if (is === null) return before;
  const events = was === null ? [] : updateEvents(orgId, was, is);
  if (was !== null && events.length === 0) return before;
  const wantedOwn = candidate.own === null ? null : { ...candidate.own, lastUpdatedAt: now };
  const own = wantedOwn === null ? null : await saveOwnAssignment(tx, orgId, wantedOwn);
  if (own === null) await removeOwnAssignment(tx, orgId, before.app.id, before.user.id);
  if (was === null) {
    record({ eventType: 'application.user_membership.add', target: assignmentTargets(orgId, [null, is]) });
  }
  for (const event of events) record(event);
  return { ...before, own };
}
