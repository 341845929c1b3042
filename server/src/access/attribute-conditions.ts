import type { AttributeCondition, HeldRole } from '../kernel/held-role.ts';
import { opens } from './custom-permissions.ts';
import { firmGrantOf } from './grants.ts';

/**
 * The conditions under which roles open profiles with a permission. None where no role has any, or another role opens
 * all profiles whole. Else all of them count for every profile: who may see little of some users does not see more of
 * others by the same credential (ADR 0030).
 */
export function conditionsOf(roles: readonly HeldRole[], permission: string): readonly AttributeCondition[] {
  const conditions = roles.flatMap(({ custom }) =>
    (custom?.permissions ?? []).flatMap((held) =>
      held.conditions !== null && opens(held.name, permission) ? [held.conditions] : [],
    ),
  );
  return conditions.length === 0 || firmGrantOf(roles, permission)?.kind === 'all' ? [] : conditions;
}

const shows = (condition: AttributeCondition, name: string): boolean =>
  condition.include === undefined ? !condition.exclude.includes(name) : condition.include.includes(name);

/** Whether conditions leave an attribute open, by its name without `profile.`. */
export const isOpenUnder = (conditions: readonly AttributeCondition[], name: string): boolean =>
  conditions.every((condition) => shows(condition, name));
