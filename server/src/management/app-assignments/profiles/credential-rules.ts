import { apiError, invalid } from '../../../kernel/errors/errors.ts';
import { readUserName } from '../names/user-name-rules.ts';

export interface Scheme {
  readonly signOnMode: string;
  /** The member `credentials.scheme` of the app. */
  readonly scheme: string | null;
}

export interface GivenCredentials {
  readonly userName?: string | null;
  readonly password?: { readonly value?: string | null } | null;
}

/** Members that were not given are undefined. Null removes the user's own value. */
interface ReadCredentials {
  readonly userName: string | null | undefined;
  readonly password: string | null | undefined;
}

const PASSWORD_MODES: ReadonlySet<string> = new Set([
  'AUTO_LOGIN',
  'BASIC_AUTH',
  'BROWSER_PLUGIN',
  'SECURE_PASSWORD_STORE',
]);

const MAXIMUM_PASSWORD_LENGTH = 1_000;

/** Returns whether the app has password sign-in. */
const hasScheme = ({ signOnMode }: Scheme): boolean => PASSWORD_MODES.has(signOnMode);

const takesUserName = ({ scheme }: Scheme): boolean => scheme !== 'SHARED_USERNAME_AND_PASSWORD';

export const takesPassword = (app: Scheme): boolean =>
  hasScheme(app) && takesUserName(app) && app.scheme !== 'EXTERNAL_PASSWORD_SYNC';

function readPassword(value: string): string {
  const length = Array.from(value).length;
  if (length > 0 && length <= MAXIMUM_PASSWORD_LENGTH) return value;
  throw invalid('credentials.password', `must have 1 to ${MAXIMUM_PASSWORD_LENGTH} characters.`);
}

/**
 * An empty `password` object changes nothing. Recordings show that a password for an app without password sign-in is
 * dropped.
 */
export function readCredentials(app: Scheme, given: GivenCredentials | null | undefined): ReadCredentials {
  const userName = given?.userName;
  const password = hasScheme(app) ? given?.password?.value : undefined;
  const setsName = typeof userName === 'string' && !takesUserName(app);
  const setsPassword = typeof password === 'string' && !takesPassword(app);
  if (setsName || setsPassword) {
    throw apiError('E0000041', { causes: ['User level credentials should not be provided for this scheme.'] });
  }
  return {
    userName: typeof userName === 'string' ? readUserName(userName) : userName,
    password: typeof password === 'string' ? readPassword(password) : password,
  };
}
