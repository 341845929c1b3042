import type { Principal } from '../../kernel/context.ts';
import type { AttributeCondition, HeldRole } from '../../kernel/words/held-role.ts';
import { opens } from '../custom-permissions.ts';
import { firmGrantOf, grantOf } from '../holders/grants.ts';

/**
 * Returns the conditions that narrow a permission to some profile attributes. There are no conditions if the roles give
 * the permission for whole profiles of all users. Otherwise all conditions apply to every profile (ADR 0030).
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

/** `name` is the name of an attribute, without the prefix `profile.`. */
export const isOpenUnder = (conditions: readonly AttributeCondition[], name: string): boolean =>
  conditions.every((condition) => shows(condition, name));

/** A caller who reads users, or the author of an expression that reads users. */
export interface Looker {
  readonly principal: Principal;
  readonly roles: readonly HeldRole[];
}

export interface AttributeSight {
  /** `part` means some attributes, or attributes of some users. `nothing` means no attributes of other users. */
  readonly reach: 'whole' | 'part' | 'nothing';
  /** `name` is the name of an attribute, without the prefix `profile.`. */
  readonly shows: (name: string) => boolean;
}

export const WHOLE_SIGHT: AttributeSight = { reach: 'whole', shows: () => true };
const NOTHING: AttributeSight = { reach: 'nothing', shows: () => false };

export function sightOfRoles(roles: readonly HeldRole[]): AttributeSight {
  if (firmGrantOf(roles, 'users.read')?.kind === 'all') return WHOLE_SIGHT;
  if (grantOf(roles, 'users.read') === null) return NOTHING;
  const conditions = conditionsOf(roles, 'users.read');
  return { reach: 'part', shows: (name) => isOpenUnder(conditions, name) };
}

/** Ignores scopes, because they only decide which endpoints a token may call (ADR 0050). */
export const attributeSight = ({ principal, roles }: Looker): AttributeSight =>
  principal.kind === 'system' ? WHOLE_SIGHT : sightOfRoles(roles);
