import { BLANK, collectFaults, refuse } from '../documents/fault-rules.ts';
import { type FieldTable, flag, isAbsent, isObject, readFields, text, word } from './field-rules.ts';

/** Who sets the name and the password with which people come in (`ApplicationCredentialsScheme`). */
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
  /** With the scheme of a shared name and password only. */
  readonly userName?: string;
}

export interface GivenScheme {
  readonly credentials: SchemeCredentials;
  /** The shared password; null: the one that is kept stays, if any. */
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

/** `password.value`; what else stands in the object is how published clients say that they set none. */
function readPassword(input: unknown): string | null {
  const field = 'credentials.password';
  if (isAbsent(input)) return null;
  if (!isObject(input)) throw refuse(field, 'must be an object.');
  const { value } = input;
  if (isAbsent(value)) return null;
  if (typeof value !== 'string') throw refuse(`${field}.value`, 'must be a string.');
  if (Array.from(value).length <= MAXIMUM_PASSWORD_LENGTH) return value;
  throw refuse(`${field}.value`, `The field must be at most ${MAXIMUM_PASSWORD_LENGTH} characters in length`);
}

const isShared = (credentials: SchemeCredentials | null): boolean =>
  credentials?.scheme === 'SHARED_USERNAME_AND_PASSWORD';

/**
 * The scheme of an app with its shared name and password. What the scheme has no use for is not kept. A replacement
 * that brings no password keeps the one that is there. 400 E0000001 with a cause for each fault.
 */
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
      throw refuse('credentials.userName', BLANK);
    },
    password: () => {
      if (password === null && !isShared(before)) throw refuse('credentials.password.value', BLANK);
    },
  });
  return { credentials: { ...credentials, userName }, password };
}
