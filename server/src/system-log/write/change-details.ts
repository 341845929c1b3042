import { isDeepStrictEqual } from 'node:util';
import type { Json, JsonObject, Target } from './event.ts';

type ChangeDetails = NonNullable<Target['changeDetails']>;

const memberOf = (values: JsonObject, name: string): Json =>
  Object.hasOwn(values, name) ? (values[name] ?? null) : null;

const pick = (values: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(names.map((name) => [name, memberOf(values, name)]));

/**
 * Returns the members that differ, with null for absent values. If one side is null, returns the members of the other
 * side.
 */
export function changeDetailsOf(before: JsonObject | null, after: JsonObject | null): ChangeDetails | null {
  if (before === null || after === null) return { from: before ?? {}, to: after ?? {} };
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changed = names.filter((name) => !isDeepStrictEqual(memberOf(before, name), memberOf(after, name)));
  return changed.length === 0 ? null : { from: pick(before, changed), to: pick(after, changed) };
}

/** The document came from JSON, so its members are JSON values. */
export const toldDocument = (document: object): JsonObject =>
  Object.fromEntries(Object.entries(document) as [string, Json][]);

/** A resource before and after a change. `before` is null for a new resource, and `after` for a removed one. */
export type Change<Resource> = readonly [before: Resource | null, after: Resource | null];

/** `told` selects the values to record and must leave out secrets. */
export const changeTarget =
  <Resource extends object, Given extends readonly unknown[] = []>(
    targetOf: (resource: Resource, ...given: Given) => Target,
    told: (resource: Resource, ...given: Given) => JsonObject,
  ) =>
  ([before, after]: Change<Resource>, ...given: Given): Target => {
    const resource = after ?? before;
    if (resource === null) throw new Error('neither before nor after');
    const toldOf = (one: Resource | null): JsonObject | null => (one === null ? null : told(one, ...given));
    const changeDetails = changeDetailsOf(toldOf(before), toldOf(after));
    const target = targetOf(resource, ...given);
    return changeDetails === null ? target : { ...target, changeDetails };
  };
