export type CookieHeaders = Readonly<Record<string, string | string[] | undefined>>;

function cookiesIn({ cookie }: CookieHeaders): readonly (readonly [name: string, value: string])[] {
  if (typeof cookie !== 'string') return [];
  return cookie.split(';').flatMap((pair) => {
    const at = pair.indexOf('=');
    return at > 0 ? [[pair.slice(0, at).trim(), pair.slice(at + 1).trim()] as const] : [];
  });
}

export const valuesOfCookie = (headers: CookieHeaders, name: string): readonly string[] =>
  cookiesIn(headers).flatMap(([one, value]) => (one === name ? [value] : []));

export const namesOfCookies = (headers: CookieHeaders, start: string): readonly string[] => [
  ...new Set(cookiesIn(headers).flatMap(([name]) => (name.startsWith(start) ? [name] : []))),
];
