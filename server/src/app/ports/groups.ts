import { coversApp } from '../../access/index.ts';
import { appsOfGroup, endAssignmentsOfGroup } from '../../management/app-assignments/index.ts';
import { findAppsByIds, showApps, wireApp } from '../../management/apps/index.ts';
import { evaluateRulesForPinnedMembers } from '../../management/group-rules/index.ts';
import type { GroupsPorts } from '../../management/groups/index.ts';
import { appPolicies } from '../../management/policies/index.ts';
import { publishedOrgKeys } from '../../oauth/index.ts';
import type { Services } from '../services.ts';

export function groupsPortsOf({
  cursors,
  db,
  users,
  work,
}: Pick<Services, 'cursors' | 'db' | 'users' | 'work'>): GroupsPorts {
  return {
    db,
    work,
    cursors,
    users,
    appIdsOfGroup: appsOfGroup,
    appIdsWithin: async (reader, orgId, grant, appIds) => {
      if (grant.kind === 'all' || appIds.length === 0) return appIds;
      const apps = await findAppsByIds(reader, orgId, appIds);
      const within = new Set(
        apps.flatMap((app) => (coversApp(grant, { id: app.id, name: app.document.name }) ? [app.id] : [])),
      );
      return appIds.filter((id) => within.has(id));
    },
    wireApps: async (context, appIds) => {
      const apps = await findAppsByIds(db, context.orgId, appIds);
      const shown = await showApps({ appPolicies, orgKeys: { published: publishedOrgKeys } }, db, context, apps);
      return new Map(shown.map((one) => [one.app.id, wireApp(one, context)]));
    },
    beforeDelete: endAssignmentsOfGroup,
    onMembersPinned: evaluateRulesForPinnedMembers,
  };
}
