import { invalidObject } from '../../../kernel/errors/errors.ts';
import { BLANK, mustBeOfType, mustBeOneOf, type Problem } from '../../../kernel/errors/problems.ts';

/** Attributes of an app user: the user's own, a group's, or the result of merging them. */
export type AppProfile = Readonly<Record<string, unknown>>;

const isSaid = (value: unknown): boolean => value !== null && value !== undefined;

/** Creates own members of any name, because assigning `__proto__` would set the prototype. */
const objectOf = (members: Iterable<readonly [string, unknown]>): Record<string, unknown> =>
  Object.fromEntries(members);

/** The values of several groups, each once, in the order of the groups. */
const unionOf = (groups: readonly AppProfile[], name: string): unknown[] => [
  ...new Set(groups.flatMap((profile) => (Array.isArray(profile[name]) ? profile[name] : []))),
];

/** The profile that a user inherits: from the mappings, overridden by the groups, of which the first has precedence. */
export function inheritedProfile(
  groups: readonly AppProfile[],
  mapped: AppProfile,
  unions: ReadonlySet<string>,
): AppProfile {
  const inherited = new Map<string, unknown>();
  for (const layer of [mapped, ...groups.toReversed()]) {
    for (const [name, value] of Object.entries(layer)) if (isSaid(value)) inherited.set(name, value);
  }
  for (const name of unions) {
    const values = unionOf(groups, name);
    if (values.length > 0) inherited.set(name, values);
  }
  return objectOf(inherited);
}

/**
 * An app's view of a user: own values, also null, override inherited ones. A missing value is null if `names` lists it,
 * and absent otherwise.
 */
export function effectiveProfile(own: AppProfile, inherited: AppProfile, names: readonly string[]): AppProfile {
  const nothing = names.map((name): [string, unknown] => [name, null]);
  return objectOf([...nothing, ...Object.entries(inherited), ...Object.entries(own)]);
}

/** Merges a change: given attributes replace; the others stay. */
const mergedProfile = (current: AppProfile, given: AppProfile): Record<string, unknown> =>
  objectOf([...Object.entries(current), ...Object.entries(given)]);

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one ?? null) === JSON.stringify(other ?? null);

/**
 * A user's own attributes after an update. A value equal to the inherited one is not stored: clients send back whole
 * profiles, and untouched attributes must keep following mappings and groups.
 */
export const ownProfile = (current: AppProfile, given: AppProfile, inherited: AppProfile): Record<string, unknown> =>
  objectOf(
    Object.entries(mergedProfile(current, given)).filter(([name, value]) => {
      const isInherited = isSame(value, Object.hasOwn(inherited, name) ? inherited[name] : null);
      return !(isInherited && Object.hasOwn(given, name));
    }),
  );

/** A single change of a group's assignment (published schema: JsonPatchOperation). */
export interface PatchOperation {
  readonly op?: string;
  readonly path?: string;
  readonly value?: unknown;
}

interface Patched {
  readonly profile: AppProfile;
  /** The given value; undefined when there is none. */
  readonly priority: unknown;
}

/** RFC 6901 4: `~1` is a slash, `~0` a tilde, in this order. */
const unescaped = (token: string): string => token.replaceAll('~1', '/').replaceAll('~0', '~');

const isObject = (value: unknown): value is AppProfile =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const refused = (place: string, problem: Problem) => invalidObject('operations', [`${place}: ${problem}`]);

function replacedWhole(path: string, value: unknown, before: Patched): Patched {
  if (path === '/priority') return { ...before, priority: value };
  if (!isObject(value)) throw refused(path, mustBeOfType('an object'));
  return { ...before, profile: value };
}

function applied(before: Patched, { op, path = '', value }: PatchOperation): Patched {
  if (op !== 'replace' && op !== 'remove') throw refused('op', mustBeOneOf(['remove', 'replace']));
  if (path === '/profile' || path === '/priority') {
    if (op === 'remove') throw refused(path, 'cannot be removed.');
    if (value === undefined) throw refused(path, BLANK);
    return replacedWhole(path, value, before);
  }
  const token = /^\/profile\/([^/]+)$/.exec(path)?.[1];
  if (token === undefined) throw refused('path', 'must be /priority, /profile or /profile/{attribute}.');
  const name = unescaped(token);
  const { profile } = before;
  if (op === 'remove') {
    if (!Object.hasOwn(profile, name)) throw refused(path, 'There is no value to remove.');
    return { ...before, profile: objectOf(Object.entries(profile).filter(([other]) => other !== name)) };
  }
  if (value === undefined) throw refused(path, BLANK);
  return { ...before, profile: mergedProfile(profile, objectOf([[name, value]])) };
}

/**
 * Applies changes to a group's profile and priority, one after the other; all or none of them (RFC 6902 5). 400
 * E0000001 for another operation or path, and for the removal of a missing value.
 */
export const patched = (profile: AppProfile, operations: readonly PatchOperation[]): Patched =>
  operations.reduce<Patched>(applied, { profile, priority: undefined });
