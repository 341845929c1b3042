import type { Principal } from '../../kernel/context.ts';
import type { AttributeCondition, HeldRole } from '../../kernel/words/held-role.ts';
import { opens } from '../custom-permissions.ts';
import { firmGrantOf, grantOf } from '../holders/grants.ts';

/**
 * The conditions under which roles show profiles with a permission. There are none if no role has a condition, or if
 * another role shows whole profiles. Otherwise all of them apply to every profile: a caller who sees little of some
 * users sees no more of others with the same credential (ADR 0030).
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

/** Tells whether conditions leave an attribute visible, by its name without `profile.`. */
export const isOpenUnder = (conditions: readonly AttributeCondition[], name: string): boolean =>
  conditions.every((condition) => shows(condition, name));

/** A looker is a caller that sees users, or whose expression sees them. */
export interface Looker {
  readonly principal: Principal;
  readonly roles: readonly HeldRole[];
}

/** The attributes of other users that somebody may see. */
export interface AttributeSight {
  /**
   * `whole`: all attributes of all users; `part`: not all attributes, or not those of all users; `nothing`: only the
   * user's own.
   */
  readonly reach: 'whole' | 'part' | 'nothing';
  /** Tells whether an attribute of visible users is shown, by its name without `profile.`. */
  readonly shows: (name: string) => boolean;
}

/** Applies to the service itself, and to everything whose author could see all attributes. */
export const WHOLE_SIGHT: AttributeSight = { reach: 'whole', shows: () => true };
const NOTHING: AttributeSight = { reach: 'nothing', shows: () => false };

/** Returns the attributes of other users that these roles show. */
export function sightOfRoles(roles: readonly HeldRole[]): AttributeSight {
  if (firmGrantOf(roles, 'users.read')?.kind === 'all') return WHOLE_SIGHT;
  if (grantOf(roles, 'users.read') === null) return NOTHING;
  const conditions = conditionsOf(roles, 'users.read');
  return { reach: 'part', shows: (name) => isOpenUnder(conditions, name) };
}

/**
 * Decides which attributes of other users a caller sees, for profiles, expressions, the log and its targets alike (ADR
 * 0050). Only roles count: scopes decide which endpoints a token may call, roles decide what it sees there.
 */
export const attributeSight = ({ principal, roles }: Looker): AttributeSight =>
  principal.kind === 'system' ? WHOLE_SIGHT : sightOfRoles(roles);
