const MAXIMUM_CHARACTERS = 2_048;
const START = '/';

/**
 * Tells whether an address contains characters that browsers drop or misinterpret, such as backslashes and line breaks.
 */
const isUnsafe = (text: string): boolean => /[\\\p{C}\p{Z}]/u.test(text);

/** The pages that may follow a sign-in. Opening them changes no session. */
const LEADS_ON_TO: readonly RegExp[] = [
  /^\/$/,
  /^\/account(?:\/[\w-]+)*$/,
  /^\/consent$/,
  /^\/home(?:\/[\w%.~-]+){3}$/,
  /^\/activate(?:\/confirm)?$/,
  /^\/oauth2\/(?:[\w-]+\/)?v1\/authorize(?:\/resume)?$/,
];

/** A session token in the address would replace the session of the user who has just signed in (login CSRF). */
const bearsSession = ({ searchParams }: URL): boolean =>
  [...searchParams.keys()].some((name) => name.toLowerCase() === 'sessiontoken');

/**
 * Returns the requested page if it may follow a sign-in, and otherwise the start page of the org. The result starts
 * with exactly one slash, so that it is safe in a Location header.
 */
export function readFromUri(text: string | null | undefined, baseUrl: string): string {
  if (text === null || text === undefined || text.length > MAXIMUM_CHARACTERS) return START;
  if (!text.startsWith('/') || text.startsWith('//') || isUnsafe(text) || !URL.canParse(text, baseUrl)) return START;
  const url = new URL(text, baseUrl);
  if (url.origin !== new URL(baseUrl).origin || bearsSession(url)) return START;
  // `URL` resolves dot segments as browsers do, so `/.//host` is now `//host`, another host. No pattern matches that.
  if (!LEADS_ON_TO.some((pattern) => pattern.test(url.pathname))) return START;
  return url.pathname + url.search + url.hash;
}
