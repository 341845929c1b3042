import { type ErrorCause, invalid } from '../../kernel/errors.ts';
import { type ProfileInput, type ProfileSchema, validateProfile } from '../schemas/index.ts';

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

const normalized = (value: unknown): unknown => (typeof value === 'string' ? value.normalize('NFC') : value);

/** The stored form: texts in NFC, nulls removed but for ALWAYS_PRINTED, which are always there. */
function storedForm(values: ProfileInput): ProfileInput {
  const printed = new Set<string>(ALWAYS_PRINTED);
  const given = Object.entries(values).filter(([name, value]) => printed.has(name) || !isAbsent(value));
  // fromEntries defines own members, so that a member named __proto__ stays one and is refused by name.
  return Object.fromEntries([
    ...ALWAYS_PRINTED.map((name): [string, unknown] => [name, null]),
    ...given.map(([name, value]): [string, unknown] => [name, normalized(value ?? null)]),
  ]);
}

/** The profile after a POST: members given replace, null removes, the others stay. Validate before storing. */
export const mergeProfile = (current: UserProfile, changes: ProfileInput): ProfileInput =>
  storedForm(Object.fromEntries([...Object.entries(current), ...Object.entries(changes)]));

/** The profile after a create or a PUT: members given are all there is. Validate before storing. */
export const replaceProfile = (values: ProfileInput): ProfileInput => storedForm(values);

/** The one attribute that all causes are about, else the object. */
function fieldOf(causes: readonly ErrorCause[], object: string): string {
  const names = causes.map(({ errorSummary }) => /^(\w+): /.exec(errorSummary)?.[1] ?? object);
  return names.every((name) => name === names[0]) ? (names[0] ?? object) : object;
}

/** Types a whole profile in which nothing is wrong; else 400 E0000001 for `field`, with the causes. */
export function assertProfile(profile: ProfileInput, schema: ProfileSchema, object: string): UserProfile {
  const causes = validateProfile(profile, schema);
  if (causes.length > 0) throw invalid(fieldOf(causes, object), ...causes);
  return profile as UserProfile;
}
