import type { Context } from '../../../kernel/context.ts';
import type { Db } from '../../../platform/postgres/index.ts';
import type { GroupsPorts } from '../ports.ts';
import type { GroupRow } from '../records/group-row.ts';
import { visibleTo } from '../records/guards.ts';
import { readStats } from './stats-store.ts';

/** Stats are counted for each group, and a group can be large. */
export const MAXIMUM_GROUPS_WITH_STATS = 200;

const EXPANSIONS = ['stats', 'app'] as const;
export type Expansion = (typeof EXPANSIONS)[number];

export interface Embedded {
  readonly stats?: Readonly<Record<string, unknown>> | undefined;
  readonly app?: Readonly<Record<string, unknown>> | undefined;
}

const isExpansion = (word: string): word is Expansion => EXPANSIONS.some((known) => known === word);

/** Unknown words are ignored. */
export function readExpand(text: string | undefined): readonly Expansion[] {
  return (text ?? '')
    .split(',')
    .map((word) => word.trim())
    .filter(isExpansion);
}

async function statsOf(db: Db, context: Context, groups: readonly GroupRow[]) {
  const ids = groups.map(({ id }) => id);
  const stats = await readStats(db, context.orgId, ids);
  return (group: GroupRow): Embedded['stats'] => {
    const known = stats.get(group.id);
    if (known === undefined) return undefined;
    const { appsCount, hasAdminPrivilege, usersCount } = known;
    // This service never pushes groups to apps. The published contract misspells `hasAdminPrivilege` as
    // `hasAdminPrivlege`, and generated clients read that name.
    const privilege = { hasAdminPrivilege, hasAdminPrivlege: hasAdminPrivilege };
    return { usersCount, appsCount, groupPushMappingsCount: 0, ...privilege };
  };
}

async function appsOf(ports: GroupsPorts, context: Context, groups: readonly GroupRow[]) {
  const ids = [...new Set(groups.flatMap(({ sourceId }) => (sourceId === null ? [] : [sourceId])))];
  const visible = await ports.appIdsWithin(ports.db, context.orgId, visibleTo(context, 'apps.read'), ids);
  const apps = visible.length === 0 ? null : await ports.wireApps(context, visible);
  return ({ sourceId }: GroupRow): Embedded['app'] => {
    const app = sourceId === null ? undefined : apps?.get(sourceId);
    if (app === undefined) return undefined;
    const { id, label, name, signOnMode } = app;
    return { id, name, label, signOnMode };
  };
}

export async function embeddedOf(
  ports: GroupsPorts,
  context: Context,
  groups: readonly GroupRow[],
  expansions: readonly Expansion[],
): Promise<(group: GroupRow) => Embedded | undefined> {
  if (expansions.length === 0) return () => undefined;
  const makers = {
    stats: expansions.includes('stats') ? await statsOf(ports.db, context, groups) : () => undefined,
    app: expansions.includes('app') ? await appsOf(ports, context, groups) : () => undefined,
  };
  return (group) => {
    const [stats, app] = [makers.stats(group), makers.app(group)];
    return { ...(stats === undefined ? {} : { stats }), ...(app === undefined ? {} : { app }) };
  };
}
