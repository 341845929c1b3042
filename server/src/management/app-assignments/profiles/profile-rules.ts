import { invalidObject } from '../../../kernel/errors/errors.ts';
import { BLANK, mustBeOfType, mustBeOneOf, type Problem } from '../../../kernel/errors/problems.ts';

/** The attributes of an app's user: the user's own, those from mappings or a group, or the result of merging them. */
export type AppProfile = Readonly<Record<string, unknown>>;

const isSaid = (value: unknown): boolean => value !== null && value !== undefined;

/** Creates an object with members of any name. Assigning to `__proto__` would set the prototype instead. */
const objectOf = (members: Iterable<readonly [string, unknown]>): Record<string, unknown> =>
  Object.fromEntries(members);

const unionOf = (groups: readonly AppProfile[], name: string): unknown[] => [
  ...new Set(groups.flatMap((profile) => (Array.isArray(profile[name]) ? profile[name] : []))),
];

/**
 * Returns the inherited profile. Groups override mappings, and earlier groups override later ones. The attributes in
 * `unions` take the values of all groups.
 */
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
 * Returns an app's view of a user. The user's own values, even null, override inherited ones. An attribute without a
 * value is null if `names` lists the attribute, and absent otherwise.
 */
export function effectiveProfile(own: AppProfile, inherited: AppProfile, names: readonly string[]): AppProfile {
  const nothing = names.map((name): [string, unknown] => [name, null]);
  return objectOf([...nothing, ...Object.entries(inherited), ...Object.entries(own)]);
}

const mergedProfile = (current: AppProfile, given: AppProfile): Record<string, unknown> =>
  objectOf([...Object.entries(current), ...Object.entries(given)]);

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one ?? null) === JSON.stringify(other ?? null);

/**
 * Returns a user's own attributes after an update. A given value that equals the inherited one is not stored. Clients
 * send back whole profiles, and attributes that they did not change must keep following mappings and groups.
 */
export const ownProfile = (current: AppProfile, given: AppProfile, inherited: AppProfile): Record<string, unknown> =>
  objectOf(
    Object.entries(mergedProfile(current, given)).filter(([name, value]) => {
      const isInherited = isSame(value, Object.hasOwn(inherited, name) ? inherited[name] : null);
      return !(isInherited && Object.hasOwn(given, name));
    }),
  );

/** One change to a group's assignment (published schema: JsonPatchOperation). */
export interface PatchOperation {
  readonly op?: string;
  readonly path?: string;
  readonly value?: unknown;
}

interface Patched {
  readonly profile: AppProfile;
  readonly priority: unknown;
}

/** Unescapes a token of a JSON pointer (RFC 6901 4). `~1` must be replaced before `~0`. */
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

export const patched = (profile: AppProfile, operations: readonly PatchOperation[]): Patched =>
  operations.reduce<Patched>(applied, { profile, priority: undefined });
