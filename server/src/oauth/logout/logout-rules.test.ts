import { describe, expect, test } from 'vitest';
import { isAbout, readHint, readLogoutRequest, redirectTarget } from './logout-rules.ts';
import { deliveryOf, logoutClaims } from './logout-token-rules.ts';

const OWN = 'https://acme.localhost:8443';
const CLAIMS = { iss: OWN, aud: 'app', sub: 'user', jti: 'ID.x', sid: 'trsx' };

describe('a hint', () => {
  test('is read without looking at its time', () => {
    const hint = { issuer: OWN, clientId: 'app', subject: 'user', sessionId: 'trsx' };
    expect(readHint({ ...CLAIMS, exp: 1 })).toEqual(hint);
    expect(readHint({ ...CLAIMS, sid: undefined })).toEqual({ ...hint, sessionId: null });
  });

  test.each([{ iss: 7 }, { aud: ['app'] }, { aud: '' }, { sub: '' }, { jti: 'AT.x' }, { jti: undefined }, { sid: 7 }])(
    'is none with %j',
    (given) => {
      expect(readHint({ ...CLAIMS, ...given })).toBeNull();
    },
  );

  test.each([
    [{ userId: 'user', externalSessionId: 'trsx' }, 'trsx', true],
    [{ userId: 'user', externalSessionId: 'trsx' }, null, true],
    [{ userId: 'user', externalSessionId: 'trsy' }, 'trsx', false],
    [{ userId: 'other', externalSessionId: 'trsx' }, 'trsx', false],
    [{ userId: 'other', externalSessionId: 'trsx' }, null, false],
  ])('about %j, by session %s: %s', (session, sessionId, expected) => {
    expect(isAbout({ issuer: OWN, clientId: 'app', subject: 'user', sessionId }, session)).toBe(expected);
  });
});

test('an empty parameter is as good as none', () => {
  expect(readLogoutRequest({ id_token_hint: '', state: '', client_id: 'a' })).toEqual({
    idTokenHint: null,
    redirectUri: null,
    state: null,
    clientId: 'a',
    formToken: null,
  });
});

test.each([
  [null, 's', null],
  ['https://a.example/out', null, 'https://a.example/out'],
  ['https://a.example/out', 'a&b#c', 'https://a.example/out?state=a%26b%23c'],
  ['https://a.example/out?x=1', 's', 'https://a.example/out?x=1&state=s'],
  ['com.example.app:/out', 's', 'com.example.app:/out?state=s'],
])('%s with the state %s goes on to %s', (redirectUri, state, location) => {
  expect(redirectTarget({ redirectUri, state })).toBe(location);
});

test('a logout token has what Back-Channel Logout 2.4 asks for, and no nonce', () => {
  const now = new Date(1_700_000_000_999);
  const token = { issuer: OWN, clientId: 'app', userId: 'user', sessionExternalId: 'trsx', jti: 'LT.x', now };
  expect(logoutClaims(token)).toEqual({
    iss: OWN,
    sub: 'user',
    aud: 'app',
    iat: 1_700_000_000,
    exp: 1_700_000_120,
    jti: 'LT.x',
    sid: 'trsx',
    events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
  });
});

test('what an answer means', () => {
  const statuses = [200, 204, 302, 400, 401, 408, 429, 500, 503];
  const [told, again, refused] = ['told', 'again', 'refused'];
  expect(statuses.map(deliveryOf)).toEqual([told, told, refused, refused, refused, again, again, again, again]);
});
