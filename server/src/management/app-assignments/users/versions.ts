import type { Version } from '../../../kernel/version.ts';
import type { GroupAssignment } from '../groups/group-store.ts';
import type { AppUser } from './app-user.ts';

/** Of what is kept of the user himself; what he inherits of groups and mappings has revisions of its own. */
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
