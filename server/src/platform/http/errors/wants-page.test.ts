import { describe, expect, test } from 'vitest';
import { wantsPage } from './wants-page.ts';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8';
const asked = (path: string, headers: Readonly<Record<string, string>>): boolean =>
  wantsPage({ route: null, path, headers });

describe('an address that nothing has', () => {
  test.each([
    { accept: BROWSER },
    { accept: 'text/html' },
    { accept: 'application/json;q=0.5, text/html' },
    { accept: BROWSER, 'sec-fetch-mode': 'navigate' },
    { 'sec-fetch-mode': 'navigate' },
  ])('is a page for %j', (headers) => expect(asked('/nothing', headers)).toBe(true));

  test.each([
    {},
    { accept: '*/*' },
    { accept: '' },
    { accept: 'application/json' },
    { accept: 'text/html, application/json' },
    { accept: 'text/html;q=0.5, application/json' },
    { accept: 'text/html;q=0' },
    { accept: 'not well formed' },
    { accept: `${'a/b,'.repeat(300)}text/html` },
    { accept: BROWSER, 'sec-fetch-mode': 'cors' },
    { accept: BROWSER, 'sec-fetch-mode': 'no-cors' },
  ])('is the error object for %j', (headers) => expect(asked('/nothing', headers)).toBe(false));

  test.each(['/api', '/api/v1/nothing', '/oauth2/v1/nothing', '/.well-known/nothing', '/idp/x', '/scim/v2/Users'])(
    'is the error object for a browser at %s',
    (path) => expect(asked(path, { accept: BROWSER, 'sec-fetch-mode': 'navigate' })).toBe(false),
  );

  test.each(['/apis', '/ap', '/API/v1', '/'])('is a page at %s', (path) =>
    expect(asked(path, { accept: BROWSER })).toBe(true),
  );
});

describe('a route', () => {
  const headers = { accept: BROWSER, 'sec-fetch-mode': 'navigate' };

  test('of the API answers the error object, however its path is written', () => {
    expect(wantsPage({ route: { url: '/api/v1/users' }, path: '/%61pi/v1/users', headers })).toBe(false);
  });

  test('of a page answers a page wherever it stands', () => {
    const route = { url: '/oauth2/v1/authorize', errorShape: 'page' } as const;
    expect(wantsPage({ route, path: route.url, headers })).toBe(true);
    expect(wantsPage({ route, path: route.url, headers: { accept: '*/*' } })).toBe(false);
  });

  test('that is neither answers a browser that goes there with a page', () => {
    const route = { url: '/fs/bco/4/:logoId' };
    expect(wantsPage({ route, path: '/fs/bco/4/x', headers })).toBe(true);
    expect(wantsPage({ route, path: '/fs/bco/4/x', headers: { accept: 'image/*', 'sec-fetch-mode': 'no-cors' } })).toBe(
      false,
    );
  });
});
