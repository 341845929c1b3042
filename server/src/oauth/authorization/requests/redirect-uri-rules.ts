export interface RedirectTargets {
  readonly applicationType: string;
  readonly redirectUris: readonly string[];
  readonly wildcards: boolean;
}

/** The loopback addresses. `127.0.0.1`, `[::1]` and `localhost` are not interchangeable (RFC 8252 7.3, 8.3). */
const LOOPBACK = /^(http:\/\/(?:127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\]|localhost))(?::(\d{1,5}))?((?:[/?].*)?)$/;

/** Removes the port from a loopback address. Returns null for any other address, and for an invalid port. */
function withoutPort(uri: string): string | null {
  const match = LOOPBACK.exec(uri);
  if (match === null) return null;
  const port = Number(match[2] ?? 80);
  return port >= 1 && port <= 65_535 ? `${match[1]}${match[3]}` : null;
}

/** A wildcard matches only characters within one label, so it cannot reach a host of another domain. */
const IN_A_LABEL = /^[a-z\d-]+$/i;

function fitsWildcard(registered: string, uri: string): boolean {
  const [before = '', after = '', ...more] = registered.split('*');
  if (more.length > 0 || !uri.startsWith(before) || !uri.endsWith(after)) return false;
  const middle = uri.slice(before.length, uri.length - after.length);
  return uri.length > before.length + after.length && IN_A_LABEL.test(middle);
}

function fits(registered: string, uri: string, { applicationType, wildcards }: RedirectTargets): boolean {
  if (registered.includes('*')) return wildcards && fitsWildcard(registered, uri);
  if (registered === uri) return true;
  if (applicationType !== 'native') return false;
  const address = withoutPort(registered);
  return address !== null && address === withoutPort(uri);
}

/** Visible ASCII characters, which a Location header carries unchanged. */
const PLAIN = /^[\x21-\x7e]+$/;

/** Compares URIs as text (RFC 9700 2.1), except for wildcards and the port of a native app's loopback address. */
export const isRegisteredRedirectUri = (uri: string, client: RedirectTargets): boolean =>
  PLAIN.test(uri) && !uri.includes('#') && client.redirectUris.some((registered) => fits(registered, uri, client));

/** Returns the origin of an http or https URI; null for any other text, such as a URI with an app's own scheme. */
export function originOfRedirect(uri: string): string | null {
  if (!URL.canParse(uri)) return null;
  const { origin, protocol } = new URL(uri);
  return protocol === 'https:' || protocol === 'http:' ? origin : null;
}
