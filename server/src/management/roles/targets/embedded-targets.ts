import { ROLES } from '../../../access/index.ts';
import type { Context } from '../../../kernel/context.ts';
import type { RoleRoutesPorts } from '../route-declarations.ts';
import type { RoleAssignment } from '../store.ts';
import { wireAppTarget } from '../wire.ts';
import { appsOf } from './list-targets.ts';
import { readTargets } from './target-store.ts';

const EXPANSIONS = { 'targets/groups': 'groups', 'targets/catalog/apps': 'apps' } as const;
export type Expansion = (typeof EXPANSIONS)[keyof typeof EXPANSIONS] | null;

export const readExpansion = (text: string | undefined): Expansion =>
  Object.entries(EXPANSIONS).find(([name]) => name === text)?.[1] ?? null;

/** An assignment embeds at most this many targets. */
const MAXIMUM_EMBEDDED = 200;

/** Returns null if `expansion` is null, or if the role cannot have targets of this kind. */
export async function embeddedTargets(
  { db, wireGroups }: Pick<RoleRoutesPorts, 'db' | 'wireGroups'>,
  context: Context,
  assignment: RoleAssignment,
  expansion: Expansion,
): Promise<Readonly<Record<string, unknown>> | null> {
  if (expansion === null || assignment.custom !== null) return null;
  if (ROLES[assignment.roleType].targets !== expansion) return null;
  const targets = (await readTargets(db, context.orgId, assignment)).slice(0, MAXIMUM_EMBEDDED);
  if (expansion === 'groups') {
    const groups = await wireGroups(
      context,
      targets.map(({ key }) => key),
    );
    return { targets: { groups: [...groups.values()] } };
  }
  const apps = await appsOf(db, context, targets);
  return { targets: { catalog: { apps: targets.map((target) => wireAppTarget(target, apps, context)) } } };
}
