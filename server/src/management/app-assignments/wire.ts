import type { Context } from '../../kernel/context.ts';
import { wireDate, wireDateOrNull } from '../../kernel/texts/dates.ts';
import type { AppId } from '../../kernel/words/ids.ts';
import type { GroupAssignment } from './groups/group-store.ts';
import type { AppUserSchema } from './profiles/app-user-schema.ts';
import { type AppUser, datesOf, profileOf, scopeOf, shownUser, userNameOf } from './users/app-user.ts';

const appAddress = (context: Context, appId: AppId): string => `${context.baseUrl}/api/v1/apps/${appId}`;

function wireUserLinks(appUser: AppUser, context: Context): Record<string, unknown> {
  const links: Record<string, unknown> = {
    app: { href: appAddress(context, appUser.app.id) },
    user: { href: `${context.baseUrl}/api/v1/users/${appUser.user.id}` },
  };
  const [first] = appUser.groups;
  if (scopeOf(appUser) === 'GROUP' && first !== undefined) {
    links['group'] = { href: `${context.baseUrl}/api/v1/groups/${first.groupId}` };
  }
  return links;
}

/** Renders a user of an app with the attributes that the caller may see. */
export function wireAppUser(
  appUser: AppUser,
  context: Context,
  schema: AppUserSchema,
  embedded: Readonly<Record<string, unknown>> | null = null,
): Record<string, unknown> {
  const { app, own, user } = appUser;
  const dates = datesOf(appUser);
  const source = shownUser(context, user);
  const userName = userNameOf(appUser, source);
  return {
    id: user.id,
    externalId: null,
    created: wireDate(dates.createdAt),
    lastUpdated: wireDate(dates.lastUpdatedAt),
    scope: scopeOf(appUser),
    status: app.isImplicit ? 'IMPLICIT' : (own?.status ?? 'ACTIVE'),
    statusChanged: wireDate(dates.statusChangedAt),
    passwordChanged: wireDateOrNull(dates.passwordChangedAt),
    // Nothing is pushed to apps or imported from them, so nothing is synchronized.
    syncState: 'DISABLED',
    credentials: {
      ...(userName === null ? {} : { userName }),
      ...((own?.sealedPassword ?? null) === null ? {} : { password: {} }),
    },
    profile: profileOf(appUser, schema, source),
    ...(embedded === null ? {} : { _embedded: embedded }),
    _links: wireUserLinks(appUser, context),
  };
}

export function wireGroupAssignment(
  assignment: GroupAssignment,
  context: Context,
  embedded: Readonly<Record<string, unknown>> | null = null,
): Record<string, unknown> {
  const { appId, groupId, lastUpdatedAt, priority, profile } = assignment;
  const app = appAddress(context, appId);
  return {
    id: groupId,
    lastUpdated: wireDate(lastUpdatedAt),
    priority,
    profile,
    ...(embedded === null ? {} : { _embedded: embedded }),
    _links: {
      app: { href: app },
      self: { href: `${app}/groups/${groupId}` },
      group: { href: `${context.baseUrl}/api/v1/groups/${groupId}` },
    },
  };
}

export const wireMetadata = ({ lastUpdatedAt, profile }: GroupAssignment): Record<string, unknown> => ({
  credentials: {},
  profile: Object.fromEntries(
    Object.keys(profile).map((name) => [
      name,
      { source: { type: 'GROUP', value: [] }, lastUpdated: wireDate(lastUpdatedAt) },
    ]),
  ),
});
