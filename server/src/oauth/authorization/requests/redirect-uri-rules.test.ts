import { describe, expect, test } from 'vitest';
import { isRegisteredRedirectUri, originOfRedirect } from './redirect-uri-rules.ts';

const web = (...redirectUris: string[]) => ({ applicationType: 'web', redirectUris, wildcards: false });
const native = (...redirectUris: string[]) => ({ applicationType: 'native', redirectUris, wildcards: false });
const wildcard = (...redirectUris: string[]) => ({ applicationType: 'web', redirectUris, wildcards: true });

/** These tests cover attack 60 (docs/security-rows.md). */
describe('a web app', () => {
  const registered = 'https://app.example/cb';

  test.each([registered, 'https://app.example/cb?x=1'])('%s is what was registered', (uri) => {
    expect(isRegisteredRedirectUri(uri, web(registered, 'https://app.example/cb?x=1'))).toBe(true);
  });

  test.each([
    'https://APP.example/cb',
    'HTTPS://app.example/cb',
    'https://app.example:443/cb',
    'https://app.example:8443/cb',
    'http://app.example/cb',
    'https://app.example/cb/',
    'https://app.example/CB',
    'https://app.example/cb/..',
    'https://app.example/x/../cb',
    'https://app.example/cb/..;/x',
    'https://app.example/%63b',
    'https://app.example/cb%2e%2e',
    'https://app.example/cb?y=1',
    'https://app.example/cb#x',
    'https://app.example/cb#',
    'https://app.example/cb\\x',
    'https://app.example\\cb',
    'https://user@app.example/cb',
    'https://app.example@evil.example/cb',
    'https://a@b@app.example/cb',
    'https://evil.example/https://app.example/cb',
    'https://app.example.evil.example/cb',
    'https://appxexample/cb',
    'https://sub.app.example/cb',
    'https://app.example/cb\r\nSet-Cookie: x',
    'https://app.example/cb ',
    ' https://app.example/cb',
    'https://app.example/cb\u0000',
    'javascript:alert(1)',
    '//app.example/cb',
    '/cb',
    '',
    '*',
  ])('%j is another', (uri) => {
    expect(isRegisteredRedirectUri(uri, web(registered))).toBe(false);
  });

  test('the port of the device itself is looked at like each other one', () => {
    expect(isRegisteredRedirectUri('http://127.0.0.1:5001/cb', web('http://127.0.0.1:5000/cb'))).toBe(false);
  });
});

/** These tests cover attack 61 (docs/security-rows.md; RFC 8252 7.3, 8.3). */
describe('a native app', () => {
  test.each([
    ['http://127.0.0.1/cb', 'http://127.0.0.1:51004/cb'],
    ['http://127.0.0.1:80/cb', 'http://127.0.0.1:1/cb'],
    ['http://[::1]/cb', 'http://[::1]:65535/cb'],
    ['http://localhost:3000/cb?x=1', 'http://localhost:4000/cb?x=1'],
    ['com.example.app:/cb', 'com.example.app:/cb'],
  ])('%s is reached at %s', (registered, uri) => {
    expect(isRegisteredRedirectUri(uri, native(registered))).toBe(true);
  });

  test.each([
    ['http://127.0.0.1/cb', 'http://localhost/cb'],
    ['http://localhost/cb', 'http://127.0.0.1/cb'],
    ['http://127.0.0.1/cb', 'http://[::1]/cb'],
    ['http://127.0.0.1/cb', 'https://127.0.0.1/cb'],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:0/cb'],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:65536/cb'],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:99999999/cb'],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:80@evil.example/cb'],
    ['http://127.0.0.1/cb', 'http://127.0.0.1.evil.example/cb'],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:8000/cb/'],
    ['http://localhost/cb', 'http://localhost.evil.example/cb'],
    ['https://app.example/cb', 'https://app.example:444/cb'],
    ['com.example.app:/cb', 'com.example.app2:/cb'],
  ])('%s is not reached at %s', (registered, uri) => {
    expect(isRegisteredRedirectUri(uri, native(registered))).toBe(false);
  });
});

describe('a star', () => {
  const pattern = 'https://preview-*.apps.example/cb';

  test.each(['https://preview-1.apps.example/cb', 'https://preview-a-b.apps.example/cb'])('stands in %s', (uri) => {
    expect(isRegisteredRedirectUri(uri, wildcard(pattern))).toBe(true);
  });

  test.each([
    'https://preview-.apps.example/cb',
    'https://preview-a.b.apps.example/cb',
    'https://preview-evil.example/.apps.example/cb',
    'https://preview-x@evil.example#.apps.example/cb',
    'https://preview-a%2eb.apps.example/cb',
    'https://preview-*.apps.example/cb',
    'https://preview-1.apps.example/cb/',
    'http://preview-1.apps.example/cb',
  ])('does not stand in %s', (uri) => {
    expect(isRegisteredRedirectUri(uri, wildcard(pattern))).toBe(false);
  });

  test('stands for nothing where the app has not asked for it', () => {
    expect(isRegisteredRedirectUri('https://preview-1.apps.example/cb', web(pattern))).toBe(false);
    expect(isRegisteredRedirectUri(pattern, web(pattern))).toBe(false);
  });
});

test('an address has an origin, a scheme of its own has none', () => {
  expect(originOfRedirect('https://app.example:8443/cb?x')).toBe('https://app.example:8443');
  expect(originOfRedirect('http://[::1]:1/cb')).toBe('http://[::1]:1');
  expect(originOfRedirect('com.example.app:/cb')).toBeNull();
  expect(originOfRedirect('cb')).toBeNull();
});
