import type { ErrorCause } from '../../kernel/errors.ts';

/** A profile as a client sent it: nothing is known of it yet. */
export type ProfileInput = Readonly<Record<string, unknown>>;

/** Definition of an attribute, as the schema API prints it. Lengths in characters. */
export interface ProfileAttribute {
  readonly title: string;
  readonly type: 'string' | 'boolean' | 'number' | 'integer';
  readonly required: boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly format?: 'email' | 'uri' | 'country-code' | 'language-code' | 'locale' | 'timezone';
  readonly mutability: 'READ_WRITE';
  readonly scope: 'NONE';
  /** What users may do with it in their own profile. */
  readonly permissions: readonly [{ readonly principal: 'SELF'; readonly action: SelfAction }];
}
type SelfAction = 'READ_WRITE' | 'READ_ONLY' | 'HIDE';
type Details = Partial<Pick<ProfileAttribute, 'required' | 'minLength' | 'maxLength' | 'format'>>;

/** Limits of the login and the primary address. */
const ADDRESS = { minLength: 5, maxLength: 100 } as const;

const attribute = (title: string, action: SelfAction, details: Details = {}): ProfileAttribute => ({
  title,
  type: 'string',
  required: false,
  mutability: 'READ_WRITE',
  scope: 'NONE',
  permissions: [{ principal: 'SELF', action }],
  ...details,
});

/** The attributes of every user type, in the order of the schema (facts sections 4 and 15; OpenAPI UserProfile). */
// biome-ignore format: one line per attribute
export const BASE_PROFILE_ATTRIBUTES = {
  login:             attribute('Username',         'READ_ONLY',  { required: true, ...ADDRESS }),
  firstName:         attribute('First name',       'READ_WRITE', { required: true, minLength: 1, maxLength: 50 }),
  lastName:          attribute('Last name',        'READ_WRITE', { required: true, minLength: 1, maxLength: 50 }),
  middleName:        attribute('Middle name',      'READ_ONLY'),
  honorificPrefix:   attribute('Honorific prefix', 'READ_ONLY'),
  honorificSuffix:   attribute('Honorific suffix', 'READ_ONLY'),
  email:             attribute('Primary email',    'READ_WRITE', { required: true, format: 'email', ...ADDRESS }),
  title:             attribute('Title',            'READ_ONLY'),
  displayName:       attribute('Display name',     'READ_ONLY'),
  nickName:          attribute('Nickname',         'READ_ONLY'),
  profileUrl:        attribute('Profile Url',      'READ_ONLY',  { format: 'uri' }),
  secondEmail:       attribute('Secondary email',  'READ_WRITE', { format: 'email', maxLength: 100 }),
  mobilePhone:       attribute('Mobile phone',     'READ_WRITE', { maxLength: 100 }),
  primaryPhone:      attribute('Primary phone',    'HIDE',       { maxLength: 100 }),
  streetAddress:     attribute('Street address',   'HIDE',       { maxLength: 1024 }),
  city:              attribute('City',             'HIDE',       { maxLength: 128 }),
  state:             attribute('State',            'HIDE',       { maxLength: 128 }),
  zipCode:           attribute('Zip code',         'HIDE',       { maxLength: 50 }),
  countryCode:       attribute('Country code',     'HIDE',       { format: 'country-code', maxLength: 2 }),
  postalAddress:     attribute('Postal Address',   'HIDE',       { maxLength: 4096 }),
  preferredLanguage: attribute('Preferred language', 'READ_ONLY', { format: 'language-code' }),
  locale:            attribute('Locale',           'READ_ONLY',  { format: 'locale' }),
  timezone:          attribute('Time zone',        'READ_ONLY',  { format: 'timezone' }),
  userType:          attribute('User type',        'READ_ONLY'),
  employeeNumber:    attribute('Employee number',  'READ_ONLY'),
  costCenter:        attribute('Cost center',      'READ_ONLY'),
  organization:      attribute('Organization',     'READ_ONLY'),
  division:          attribute('Division',         'READ_ONLY'),
  department:        attribute('Department',       'READ_ONLY'),
  managerId:         attribute('ManagerId',        'READ_ONLY'),
  manager:           attribute('Manager',          'READ_ONLY'),
} as const satisfies Readonly<Record<string, ProfileAttribute>>;

/** Attributes by name. A map: `constructor` and its like are no attributes. */
export type ProfileSchema = ReadonlyMap<string, ProfileAttribute>;

/** What an org may change of the base attributes: whether names are required (specification 2.4). */
export type ProfileOverrides = Readonly<Partial<Record<'firstName' | 'lastName', { readonly required: boolean }>>>;

/** The schema of a user type: the base attributes with the org's overrides. */
export function profileSchema(overrides: ProfileOverrides = {}): ProfileSchema {
  const schema = new Map<string, ProfileAttribute>(Object.entries(BASE_PROFILE_ATTRIBUTES));
  for (const name of ['firstName', 'lastName'] as const) {
    const override = overrides[name];
    if (override !== undefined) schema.set(name, { ...BASE_PROFILE_ATTRIBUTES[name], required: override.required });
  }
  return schema;
}

/**
 * An address after RFC 5322 3.2.3 (dot-atoms), with the letters of RFC 6531. No two neighbours in the pattern take the
 * same character, so that it runs in linear time.
 */
const ATOM = "[\\p{L}\\p{M}\\p{N}!#$%&'*+/=?^_`{|}~-]+";
const LABEL = '[\\p{L}\\p{M}\\p{N}-]+';
const EMAIL = new RegExp(`^${ATOM}(?:\\.${ATOM})*@${LABEL}(?:\\.${LABEL})*$`, 'u');

/** True for an e-mail address by its form. */
export const isEmailAddress = (text: string): boolean => EMAIL.test(text);

const isBlank = (value: unknown): boolean => typeof value === 'string' && value.trim() === '';
const isAbsent = (value: unknown): value is null | undefined => value === undefined || value === null;

function hasType(value: unknown, type: ProfileAttribute['type']): boolean {
  return type === 'integer' ? Number.isInteger(value) : typeof value === type;
}

function problemOf(name: string, value: unknown, definition: ProfileAttribute): string | null {
  const { required, type, minLength = 0, maxLength = Number.POSITIVE_INFINITY, format } = definition;
  if (isAbsent(value)) return required ? 'The field cannot be left blank' : null;
  if (!hasType(value, type)) return `The field ${name} is not valid.`;
  if (typeof value !== 'string') return null;
  if (required && isBlank(value)) return 'The field cannot be left blank';
  // PostgreSQL takes neither of the two into a text.
  if (value.includes('\0') || /\p{Cs}/u.test(value)) return `The field ${name} is not valid.`;
  const length = Array.from(value.normalize('NFC')).length;
  if (length < minLength) return `The field must be at least ${minLength} characters in length`;
  if (length > maxLength) return `The field must be at most ${maxLength} characters in length`;
  if (name === 'login' && !isEmailAddress(value)) return 'Username must be in the form of an email address';
  // An optional address may be emptied.
  if (format === 'email' && value !== '' && !isEmailAddress(value)) return 'Does not match required pattern';
  return null;
}

/**
 * Causes of refusal of a whole profile, never of a mere change of one: one per wrong attribute, unknown
 * names first. None when it may be stored.
 */
export function validateProfile(profile: ProfileInput, schema: ProfileSchema): ErrorCause[] {
  const causes: ErrorCause[] = Object.keys(profile)
    .filter((name) => !schema.has(name))
    .map((name) => ({ errorSummary: `Property name '${name}' is not defined in profile` }));
  for (const [name, definition] of schema) {
    const value = Object.hasOwn(profile, name) ? profile[name] : undefined;
    const problem = problemOf(name, value, definition);
    if (problem !== null) causes.push({ errorSummary: `${name}: ${problem}` });
  }
  return causes;
}
