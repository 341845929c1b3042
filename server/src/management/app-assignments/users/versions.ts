import type { Version } from '../../../kernel/version.ts';
import type { GroupAssignment } from '../groups/group-store.ts';
import type { AppUser } from './app-user.ts';

/** The version covers only the user's own row, so changes to group assignments do not affect it. */
export const appUserVersion = ({ app, own, user }: AppUser): Version => ({
  kind: 'appUser',
  id: `${app.id}:${user.id}`,
  revision: own?.revision ?? 0,
});

export const appGroupVersion = ({ appId, groupId, revision }: GroupAssignment): Version => ({
  kind: 'appGroup',
  id: `${appId}:${groupId}`,
  revision,
});
