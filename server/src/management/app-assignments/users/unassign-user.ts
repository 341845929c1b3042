import type { Context } from '../../../kernel/context.ts';
import { apiError, notFound } from '../../../kernel/errors/errors.ts';
import { assertVersion } from '../../../kernel/version.ts';
import type { Grant } from '../../../platform/http/index.ts';
import { mailAdministrator } from '../../users/index.ts';
import { assignmentTargets, recordedAssignment, updateEvents } from '../events/change-details.ts';
import type { AppAssignmentsPorts } from '../ports.ts';
import { scopeOf } from './app-user.ts';
import { type AppUserPlace, lockAppUser } from './assign-user.ts';
import { removeOwnAssignment } from './user-store.ts';
import { appUserVersion } from './versions.ts';

/** Ends a user's individual assignment. If a group also gives the user the app, the user keeps the app. */
export function unassignUser(
  ports: Pick<AppAssignmentsPorts, 'work' | 'users'>,
  context: Context,
  grant: Grant,
  place: AppUserPlace,
  { sendEmail }: { readonly sendEmail: boolean },
): Promise<void> {
  return ports.work(context, async (tx, record) => {
    const before = await lockAppUser(tx, context, grant, place);
    const was = recordedAssignment(before);
    if (was === null) throw notFound(place.userId, 'AppUser');
    assertVersion(context, appUserVersion(before));
    if (scopeOf(before) === 'GROUP') throw apiError('E0000046');
    await removeOwnAssignment(tx, context.orgId, place.appId, place.userId);
    const is = recordedAssignment({ ...before, own: null });
    if (is === null) {
      const target = assignmentTargets(context.orgId, [was, null]);
      record({ eventType: 'application.user_membership.remove', target });
      if (sendEmail) await mailAdministrator(ports.users, tx, context, 'appRemoved', before.user);
      return;
    }
    for (const event of updateEvents(context.orgId, was, is)) record(event);
  });
}
