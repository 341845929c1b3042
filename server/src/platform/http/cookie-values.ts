export type CookieHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** Values of one cookie, in the order in which they came. */
export function valuesOfCookie({ cookie }: CookieHeaders, name: string): readonly string[] {
  if (typeof cookie !== 'string') return [];
  return cookie.split(';').flatMap((pair) => {
    const at = pair.indexOf('=');
    return at > 0 && pair.slice(0, at).trim() === name ? [pair.slice(at + 1).trim()] : [];
  });
}
