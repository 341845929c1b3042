import { isDeepStrictEqual } from 'node:util';
import { apiError, type ErrorCause, invalid } from '../../../kernel/errors/errors.ts';
import { checkProfile, type ProfileInput, type ProfileSchema } from '../../schemas/index.ts';

export type ProfileValue = string | number | boolean | null | readonly (string | number)[];

/** A profile as stored and printed: known attributes only, absent ones left out but for ALWAYS_PRINTED. */
export interface UserProfile {
  readonly login: string;
  readonly email: string;
  readonly [attribute: string]: ProfileValue;
}

/** Printed as null when absent; every other absent attribute is left out (contract section 2). */
export const ALWAYS_PRINTED = ['firstName', 'lastName', 'mobilePhone', 'secondEmail', 'login', 'email'] as const;

const isAbsent = (value: unknown): value is null | undefined => value === undefined || value === null;

/** What stands where a profile has no value: names that are always printed, and the defaults of the org. */
function standardValues(schema: ProfileSchema): [string, unknown][] {
  const defaults = [...schema].flatMap(([name, definition]): [string, unknown][] =>
    definition.default === undefined ? [] : [[name, definition.default]],
  );
  return [...ALWAYS_PRINTED.map((name): [string, unknown] => [name, null]), ...defaults];
}

/** The stored form: texts as they were written, nulls removed but for ALWAYS_PRINTED, which are always there. */
function storedForm(values: ProfileInput, schema: ProfileSchema): ProfileInput {
  const given = Object.entries(values).filter(([, value]) => !isAbsent(value));
  // fromEntries defines own members, so that a member named __proto__ stays one and is refused by name.
  return Object.fromEntries([...standardValues(schema), ...given]);
}

/**
 * The profile after a POST: members given replace, null removes, the others stay, but for attributes that the schema no
 * longer has. Validate before storing.
 */
export const mergeProfile = (current: UserProfile, changes: ProfileInput, schema: ProfileSchema): ProfileInput => {
  const known = Object.entries(current).filter(([name]) => schema.has(name));
  return storedForm(Object.fromEntries([...known, ...Object.entries(changes)]), schema);
};

const valueOf = (profile: ProfileInput | null, name: string): unknown =>
  profile !== null && Object.hasOwn(profile, name) ? profile[name] : undefined;

/**
 * The profile after a create or a PUT: members given are all there is. What clients can't write stays as it was in
 * `current`, unless they try. Validate before storing.
 */
export function replaceProfile(
  values: ProfileInput,
  schema: ProfileSchema,
  current: UserProfile | null = null,
): ProfileInput {
  const kept = [...schema].flatMap(([name, { mutability }]): [string, unknown][] => {
    const value = mutability === 'READ_WRITE' ? undefined : valueOf(current, name);
    return isAbsent(value) ? [] : [[name, value]];
  });
  return storedForm(Object.fromEntries([...kept, ...Object.entries(values)]), schema);
}

/**
 * Refuses a change of what clients can't write: 403 E0000077 for a read-only attribute, E0000078 for one that was set
 * already and is for life. `before` null: the profile is new.
 */
export function assertMutable(before: ProfileInput | null, after: ProfileInput, schema: ProfileSchema): void {
  for (const [attribute, definition] of schema) {
    if (definition.mutability === 'READ_WRITE') continue;
    const [had, has] = [valueOf(before, attribute) ?? null, valueOf(after, attribute) ?? null];
    const isDefault = had === null && isDeepStrictEqual(has, definition.default ?? null);
    if (isDeepStrictEqual(had, has) || isDefault) continue;
    if (definition.mutability === 'READ_ONLY') throw apiError('E0000077', { attribute });
    if (had !== null) throw apiError('E0000078', { attribute });
  }
}

/** The one attribute that all causes are about, else the object. */
function fieldOf(causes: readonly ErrorCause[], object: string): string {
  const names = causes.map(({ errorSummary }) => /^(\w+): /.exec(errorSummary)?.[1] ?? object);
  return names.every((name) => name === names[0]) ? (names[0] ?? object) : object;
}

/** Types a whole profile, `stored` the one before, in which nothing is wrong; else 400 E0000001 with the causes. */
export function assertProfile(
  profile: ProfileInput,
  schema: ProfileSchema,
  object: string,
  stored?: UserProfile,
): UserProfile {
  const causes = checkProfile(schema, profile, stored);
  if (causes.length > 0) throw invalid(fieldOf(causes, object), ...causes);
  return profile as UserProfile;
}
