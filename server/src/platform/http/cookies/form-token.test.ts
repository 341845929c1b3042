import { describe, expect, test } from 'vitest';
import { newFlowCookie } from './flow-cookie.ts';
import { formToken, isOwnForm } from './form-token.ts';

const KEY = Buffer.alloc(32, 1);
const BASE = 'https://acme.localhost:8443';
const flow = newFlowCookie();
const token = formToken(KEY, flow, 'signin');
const cookie = `__Host-flow=${flow}`;
const posted = { headers: { cookie, origin: BASE }, baseUrl: BASE, purpose: 'signin', token };

describe('a form of our own', () => {
  test('passes with the cookie, the token and the origin it was made for', () => {
    expect(isOwnForm(KEY, posted)).toBe(true);
  });

  test('passes without Origin where Fetch metadata says that it is ours', () => {
    expect(isOwnForm(KEY, { ...posted, headers: { cookie, 'sec-fetch-site': 'same-origin' } })).toBe(true);
  });

  test.each([
    ['no cookie', { headers: { origin: BASE } }],
    ['the cookie of another browser', { headers: { cookie: `__Host-flow=${newFlowCookie()}`, origin: BASE } }],
    ['the cookie twice', { headers: { cookie: `${cookie}; ${cookie}`, origin: BASE } }],
    ['no token', { token: undefined }],
    ['an empty token', { token: '' }],
    ['a token for something else', { token: formToken(KEY, flow, 'signout') }],
    ['a token by another key', { token: formToken(Buffer.alloc(32, 2), flow, 'signin') }],
    ['another origin', { headers: { cookie, origin: 'https://evil.example' } }],
    ['a sibling org', { headers: { cookie, origin: 'https://other.localhost:8443' } }],
    ['the origin null', { headers: { cookie, origin: 'null' } }],
    ['the origin null from the same site', { headers: { cookie, origin: 'null', 'sec-fetch-site': 'same-origin' } }],
    ['neither Origin nor Fetch metadata', { headers: { cookie } }],
    ['no Origin, from the same site', { headers: { cookie, 'sec-fetch-site': 'same-site' } }],
  ])('does not pass with %s', (_, change) => {
    expect(isOwnForm(KEY, { ...posted, ...change })).toBe(false);
  });

  test('a token is no other one with the boundary between its parts moved', () => {
    expect(formToken(KEY, `${flow}s`, 'ignin')).not.toBe(token);
  });
});
