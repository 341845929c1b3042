import { isDeepStrictEqual } from 'node:util';
import { apiError, type ErrorCause, invalidObject } from '../../../kernel/errors/errors.ts';
import { checkProfile, type ProfileInput, type ProfileSchema } from '../../schemas/index.ts';

export type ProfileValue = string | number | boolean | null | readonly (string | number)[];

/** A profile as it is stored and rendered, without absent attributes except those of ALWAYS_PRINTED. */
export interface UserProfile {
  readonly login: string;
  readonly email: string;
  readonly [attribute: string]: ProfileValue;
}

/** The attributes that are null when absent. Every other absent attribute is left out (contract section 2). */
export const ALWAYS_PRINTED = ['firstName', 'lastName', 'mobilePhone', 'secondEmail', 'login', 'email'] as const;

const isAbsent = (value: unknown): value is null | undefined => value === undefined || value === null;

function standardValues(schema: ProfileSchema): [string, unknown][] {
  const defaults = [...schema].flatMap(([name, definition]): [string, unknown][] =>
    definition.default === undefined ? [] : [[name, definition.default]],
  );
  return [...ALWAYS_PRINTED.map((name): [string, unknown] => [name, null]), ...defaults];
}

/**
 * Returns the stored form of a profile: with the schema's defaults, and without nulls except those of ALWAYS_PRINTED.
 */
function storedForm(values: ProfileInput, schema: ProfileSchema): ProfileInput {
  const given = Object.entries(values).filter(([, value]) => !isAbsent(value));
  // Unlike an assignment, `fromEntries` creates a member even for the name `__proto__`.
  return Object.fromEntries([...standardValues(schema), ...given]);
}

/**
 * Returns the profile after a POST. Given members are replaced, and null removes a member or restores its default.
 * Stored members that the schema no longer has are dropped. Validate the result before storing it.
 */
export const mergeProfile = (current: UserProfile, changes: ProfileInput, schema: ProfileSchema): ProfileInput => {
  const known = Object.entries(current).filter(([name]) => schema.has(name));
  return storedForm(Object.fromEntries([...known, ...Object.entries(changes)]), schema);
};

const valueOf = (profile: ProfileInput | null, name: string): unknown =>
  profile !== null && Object.hasOwn(profile, name) ? profile[name] : undefined;

/**
 * Returns the profile after a creation or a PUT. Read-only and write-once attributes keep the values that they have in
 * `current`, unless the body contains them. Validate the result before storing it.
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

/** Allows an attribute without a value to get its default. */
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

function fieldOf(causes: readonly ErrorCause[], object: string): string {
  const names = causes.map(({ errorSummary }) => /^(\w+): /.exec(errorSummary)?.[1] ?? object);
  return names.every((name) => name === names[0]) ? (names[0] ?? object) : object;
}

/** Throws 400 E0000001 if the profile is not valid. `stored` is the profile before the change (see `checkProfile`). */
export function assertProfile(
  profile: ProfileInput,
  schema: ProfileSchema,
  object: string,
  stored?: UserProfile,
): UserProfile {
  const causes = checkProfile(schema, profile, stored);
  if (causes.length > 0) throw invalidObject(fieldOf(causes, object), causes);
  return profile as UserProfile;
}
