import { required, tooLong, wrongType } from '../../../kernel/errors/field-errors.ts';
import { collectFaults } from '../documents/fault-rules.ts';
import { type FieldTable, flag, isAbsent, isObject, readFields, text, word } from './field-rules.ts';

/** A scheme decides who sets the names and passwords of an app's users (`ApplicationCredentialsScheme`). */
export const SCHEMES = [
  'EDIT_USERNAME_AND_PASSWORD',
  'ADMIN_SETS_CREDENTIALS',
  'EDIT_PASSWORD_ONLY',
  'EXTERNAL_PASSWORD_SYNC',
  'SHARED_USERNAME_AND_PASSWORD',
] as const;
export type Scheme = (typeof SCHEMES)[number];

export interface SchemeCredentials {
  readonly scheme: Scheme;
  readonly revealPassword: boolean;
  /** This is present only if the app's users share one user name and password. */
  readonly userName?: string;
}

export interface GivenScheme {
  readonly credentials: SchemeCredentials;
  /** The new shared password. It is null if the body contains none, or if the scheme shares none. */
  readonly password: string | null;
}

const MAXIMUM_USER_NAME_LENGTH = 100;
const MAXIMUM_PASSWORD_LENGTH = 1_024;

// biome-ignore format: the columns are the documentation
export const SCHEME_FIELDS: FieldTable = {
  scheme:         word(SCHEMES, { fallback: SCHEMES[0] }),
  userName:       text({ maximum: MAXIMUM_USER_NAME_LENGTH }),
  revealPassword: flag(false),
};

/** Published clients send `password` without a `value` when they set no password. */
function readPassword(input: unknown): string | null {
  const field = 'credentials.password';
  if (isAbsent(input)) return null;
  if (!isObject(input)) throw wrongType(field, 'an object');
  const { value } = input;
  if (isAbsent(value)) return null;
  if (typeof value !== 'string') throw wrongType(`${field}.value`, 'a string');
  if (Array.from(value).length <= MAXIMUM_PASSWORD_LENGTH) return value;
  throw tooLong(`${field}.value`, MAXIMUM_PASSWORD_LENGTH);
}

const isShared = (credentials: SchemeCredentials | null): boolean =>
  credentials?.scheme === 'SHARED_USERNAME_AND_PASSWORD';

/** The password may be left out if the app already has shared credentials. */
export function readScheme(
  input: Readonly<Record<string, unknown>> | null | undefined,
  before: SchemeCredentials | null,
): GivenScheme {
  const { fields, password } = collectFaults({
    fields: () => readFields('credentials', SCHEME_FIELDS, input),
    password: () => readPassword(input?.['password']),
  });
  const credentials: SchemeCredentials = {
    scheme: SCHEMES.find((scheme) => scheme === fields['scheme']) ?? SCHEMES[0],
    revealPassword: fields['revealPassword'] === true,
  };
  if (!isShared(credentials)) return { credentials, password: null };
  const { userName } = collectFaults({
    userName: () => {
      if (typeof fields['userName'] === 'string') return fields['userName'];
      throw required('credentials.userName');
    },
    password: () => {
      if (password === null && !isShared(before)) throw required('credentials.password.value');
    },
  });
  return { credentials: { ...credentials, userName }, password };
}
