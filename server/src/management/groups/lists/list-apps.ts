import type { Context } from '../../../kernel/context.ts';
import { type Grant, keysetPage, type PageLink } from '../../../platform/http/index.ts';
import type { GroupsPorts, PageQuery } from '../ports.ts';
import { readGroup, visibleTo } from '../records/guards.ts';

/** Lists one page of a group's apps that the caller may see. */
export async function listGroupApps(
  ports: GroupsPorts,
  context: Context,
  grant: Grant,
  groupId: string,
  { after, before, limit, raw }: PageQuery,
): Promise<{ readonly apps: readonly unknown[]; readonly links: readonly PageLink[] }> {
  await readGroup(ports.db, context, grant, groupId);
  const assigned = await ports.appIdsOfGroup(ports.db, context.orgId, groupId);
  const ids = await ports.appIdsWithin(ports.db, context.orgId, visibleTo(context, 'apps.read'), assigned);
  const { rows, links } = await keysetPage(
    ports.cursors,
    { orgId: context.orgId, list: `listAssignedApplicationsForGroup:${groupId}`, limit, after, before, query: raw },
    ({ id }: { readonly id: string; readonly app: unknown }) => id,
    async ({ backwards, key, rows: count }) => {
      const ordered = backwards ? ids.toReversed() : ids;
      const beyond = ordered.filter((id) => key === null || (backwards ? id < key : id > key)).slice(0, count);
      const apps = await ports.wireApps(context, beyond);
      return beyond.map((id) => ({ id, app: apps.get(id) }));
    },
  );
  return { apps: rows.flatMap(({ app }) => app ?? []), links };
}
