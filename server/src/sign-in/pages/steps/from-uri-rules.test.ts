import { expect, test } from 'vitest';
import { readFromUri } from './from-uri-rules.ts';

const BASE = 'https://acme.localhost:8443';

test.each([
  '/',
  '/account/password',
  '/oauth2/v1/authorize/resume?request=abc_-123',
  '/oauth2/v1/authorize?redirect_uri=https%3A%2F%2Fapp.example%2Fcb&state=%2F%2Fx',
  '/oauth2/default/v1/authorize?client_id=x',
  '/oauth2/aus0abcdefghijklmnop/v1/authorize?client_id=x',
  '/consent?request=abc_-123',
  '/account/profile#b',
])('%s is led on to', (path) => {
  expect(readFromUri(path, BASE)).toBe(path);
});

test.each([
  undefined,
  null,
  '',
  'account',
  'https://evil.example/',
  'https://acme.localhost:8443/',
  '//evil.example',
  '///evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '/\t/evil.example',
  '/\n/evil.example',
  '/a\r\nSet-Cookie: x=y',
  '/\u0000/evil',
  '/\u2028evil',
  ' /evil',
  '/..//evil.example',
  '/.//evil.example',
  '/%2e%2e//evil.example',
  '/a/../..//evil.example/',
  'javascript:alert(1)',
  'data:text/html,x',
  `/${'a'.repeat(2_048)}`,
])('%j is not', (text) => {
  expect(readFromUri(text, BASE)).toBe('/');
});

/** Some of these addresses act when opened, or accept a stranger's credential (login CSRF). */
test.each([
  '/login/sessionCookieRedirect?token=T&redirectUrl=%2F',
  '/oauth2/v1/authorize?client_id=x&sessionToken=T',
  '/oauth2/v1/authorize?client_id=x&session%54oken=T',
  '/oauth2/v1/authorize?sessionToken=&sessionToken=T',
  '/oauth2/default/v1/authorize?SESSIONTOKEN=T',
  '/oauth2/v1/authorize/resume?request=x&sessionToken=T',
  '/oauth2/v1/%61uthorize?client_id=x',
  '/oauth2/v1/logout',
  '/oauth2/v1/logout/../authorizes',
  '/account/../login/sessionCookieRedirect?token=T',
  '/account/%2e%2e/login/sessionCookieRedirect?token=T',
  '/account/..%2flogin%2fsessionCookieRedirect?token=T',
  '/accounts',
  '/consent/other',
  '/welcome/T',
  '/api/v1/users/me',
  '/signin?fromURI=%2F',
  '/@evil.example',
  '/%09/evil.example',
  '/%5cevil.example',
  '/.evil.example',
  '/;@evil.example',
])('%s is no place to go on to', (path) => {
  expect(readFromUri(path, BASE)).toBe('/');
});
