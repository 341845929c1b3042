import { apiError, invalid } from '../../../kernel/errors/errors.ts';
import { readUserName } from '../names/user-name-rules.ts';

/** What of an app says who sets the credentials of its users. */
export interface Scheme {
  readonly signOnMode: string;
  /** `credentials.scheme` of apps that are signed in to with a password. */
  readonly scheme: string | null;
}

export interface GivenCredentials {
  readonly userName?: string | null;
  readonly password?: { readonly value?: string | null } | null;
}

/** Undefined: nothing was said; null: none of his own any more. */
interface ReadCredentials {
  readonly userName: string | null | undefined;
  readonly password: string | null | undefined;
}

/** Modes in which we hand an app the user's name and password. */
const PASSWORD_MODES: ReadonlySet<string> = new Set([
  'AUTO_LOGIN',
  'BASIC_AUTH',
  'BROWSER_PLUGIN',
  'SECURE_PASSWORD_STORE',
]);

const MAXIMUM_PASSWORD_LENGTH = 1_000;

/** Whether the app is one that is signed in to with a password: others have no scheme. */
const hasScheme = ({ signOnMode }: Scheme): boolean => PASSWORD_MODES.has(signOnMode);

const takesUserName = ({ scheme }: Scheme): boolean => scheme !== 'SHARED_USERNAME_AND_PASSWORD';

export const takesPassword = (app: Scheme): boolean =>
  hasScheme(app) && takesUserName(app) && app.scheme !== 'EXTERNAL_PASSWORD_SYNC';

function readPassword(value: string): string {
  const length = Array.from(value).length;
  if (length > 0 && length <= MAXIMUM_PASSWORD_LENGTH) return value;
  const cause = `password: The field must have between 1 and ${MAXIMUM_PASSWORD_LENGTH} characters`;
  throw invalid('credentials.password', cause);
}

/**
 * The credentials of a user of this app as they were given. An empty `password`, which is how one that is set is told,
 * says nothing; the password of an app that has no scheme is taken and dropped (recorded). 400 E0000041 where the app's
 * scheme leaves the user none to set, E0000001 for a value that is none.
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
