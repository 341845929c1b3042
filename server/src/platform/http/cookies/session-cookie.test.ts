import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type CookieWrite,
  clearedSessionCookie,
  isForgedWrite,
  isSessionId,
  mayUseRoles,
  readSessionCookie,
  sessionCookie,
} from './session-cookie.ts';

const ID = `102${'aB3_-'.repeat(4)}xy`;
const OTHER = `102${'z'.repeat(22)}`;

describe('the session id of a Cookie header', () => {
  test.each([
    [`__Host-sid=${ID}`, { value: ID, source: 'host' }],
    [`sid=${ID}`, { value: ID, source: 'bare' }],
    [`a=b;sid=${ID} ; c=d`, { value: ID, source: 'bare' }],
    [`sid=${OTHER}; __Host-sid=${ID}`, { value: ID, source: 'host' }],
    [`__Host-sid=${ID}; sid=${OTHER}; sid=${OTHER}`, { value: ID, source: 'host' }],
    ['', null],
    ['sid', null],
    ['sid=', null],
    [`=${ID}`, null],
    [`sid="${ID}"`, null],
    [`sid=${ID}x`, null],
    [`sid=${ID.slice(0, -1)}`, null],
    [`sid=101${ID.slice(3)}`, null],
    [`Sid=${ID}`, null],
    [`__host-sid=${ID}`, null],
    [`xsid=${ID}`, null],
    [`sid=${ID}; sid=${ID}`, null],
    [`__Host-sid=${ID}; __Host-sid=${OTHER}`, null],
    // Others may have set `sid`, so it does not replace a malformed `__Host-sid`, which only we can set.
    [`__Host-sid=broken; sid=${ID}`, null],
  ])('%s', (cookie, expected) => {
    expect(readSessionCookie({ cookie })).toEqual(expected);
  });

  test('without a Cookie header there is none', () => {
    expect(readSessionCookie({})).toBeNull();
  });

  test.each([{ origin: 'https://acme.example' }, { origin: 'null' }, { 'sec-fetch-site': 'same-origin' }])(
    'a bare sid does not count with %o, __Host-sid does',
    (headers) => {
      expect(readSessionCookie({ cookie: `sid=${ID}`, ...headers })).toBeNull();
      expect(readSessionCookie({ cookie: `__Host-sid=${ID}`, ...headers })).toMatchObject({ source: 'host' });
    },
  );

  test('whatever the header holds, nothing but a session id comes out', () => {
    const parts = fc.array(fc.constantFrom('sid', '__Host-sid', '=', ';', ' ', ID, OTHER, '"', 'x'), { maxLength: 12 });
    fc.assert(
      fc.property(
        parts.map((words) => words.join('')),
        (cookie) => {
          const read = readSessionCookie({ cookie });
          return read === null || isSessionId(read.value);
        },
      ),
    );
  });
});

describe('Set-Cookie', () => {
  const always = ['Path=/', 'Secure', 'HttpOnly', 'SameSite=Lax'];

  test('ends with the browser unless it is to persist', () => {
    expect(sessionCookie(ID, false).split('; ')).toEqual([`__Host-sid=${ID}`, ...always]);
  });

  test('persists for as long as the session may live, 400 days at most', () => {
    const header = (seconds: number | null) => sessionCookie(ID, { maximumAgeSeconds: seconds }).split('; ');
    expect(header(7_200.9)).toEqual([`__Host-sid=${ID}`, 'Max-Age=7200', ...always]);
    expect(header(null)).toContain('Max-Age=34560000');
    expect(header(1e12)).toContain('Max-Age=34560000');
  });

  test('is taken back by an empty value that is over at once', () => {
    expect(clearedSessionCookie().split('; ')).toEqual(['__Host-sid=', 'Max-Age=0', ...always]);
  });
});

describe('a write with the cookie', () => {
  const OWN = 'https://acme.example:8443';
  const TRUSTED = 'https://app.example';
  const forged = (write: Partial<CookieWrite>): boolean =>
    isForgedWrite({
      method: 'POST',
      headers: { origin: OWN },
      source: 'host',
      baseUrl: OWN,
      trustedOrigins: new Set([TRUSTED]),
      routeCors: true,
      isJson: true,
      headerPrefix: 'X-Svc-',
      ...write,
    });

  test.each<[string, Partial<CookieWrite>]>([
    ['from the own origin, with JSON', {}],
    ['from a trusted origin, with JSON', { headers: { origin: TRUSTED } }],
    ['from the own origin, to a route that is open to no other', { routeCors: false }],
    ['with X-Requested-With', { isJson: false, headers: { origin: OWN, 'x-requested-with': 'XMLHttpRequest' } }],
    ['with the XSRF header', { isJson: false, headers: { origin: OWN, 'x-svc-xsrftoken': '1' } }],
    ['by a bare sid, which came from no browser', { source: 'bare', headers: {}, isJson: false }],
    ...['GET', 'HEAD', 'OPTIONS'].map((method): [string, Partial<CookieWrite>] => [
      `that is none: ${method}`,
      { method, headers: {}, isJson: false },
    ]),
  ])('%s', (_name, write) => {
    expect(forged(write)).toBe(false);
  });

  test.each<[string, Partial<CookieWrite>]>([
    ['without Origin', { headers: {} }],
    ['from a sandboxed frame', { headers: { origin: 'null' } }],
    ['from a stranger', { headers: { origin: 'https://evil.example' } }],
    ['from another port', { headers: { origin: 'https://acme.example' } }],
    ['from another scheme', { headers: { origin: 'http://acme.example:8443' } }],
    ['from a name that begins like ours', { headers: { origin: `${OWN}.evil.example` } }],
    ['from another org of this service', { headers: { origin: 'https://other.example:8443' } }],
    ['from a trusted origin, to a route that is not open to it', { headers: { origin: TRUSTED }, routeCors: false }],
    ['as a form would send it', { isJson: false }],
    ['with an empty header', { isJson: false, headers: { origin: OWN, 'x-requested-with': '' } }],
    ["with another service's header", { isJson: false, headers: { origin: OWN, 'x-other-xsrftoken': '1' } }],
    ...['PUT', 'PATCH', 'DELETE'].map((method): [string, Partial<CookieWrite>] => [
      `by ${method} as a link would`,
      { method, isJson: false },
    ]),
  ])('%s is refused', (_name, write) => {
    expect(forged(write)).toBe(true);
  });
});

test.each<[boolean, Record<string, string>]>([
  [true, {}],
  [true, { origin: 'https://acme.example' }],
  [true, { origin: 'https://acme.example', 'sec-fetch-site': 'same-origin' }],
  [true, { 'sec-fetch-site': 'none' }],
  [false, { origin: 'https://app.example' }],
  [false, { origin: 'https://app.example', 'sec-fetch-site': 'same-origin' }],
  [false, { origin: 'null' }],
  [false, { origin: 'https://acme.example', 'sec-fetch-site': 'same-site' }],
  [false, { 'sec-fetch-site': 'same-site' }],
  [false, { 'sec-fetch-site': 'cross-site' }],
])('roles count: %j, called with %j', (expected, headers) => {
  expect(mayUseRoles(headers, 'https://acme.example')).toBe(expected);
});
