import { expect, test } from 'vitest';
import { withoutSecrets } from './without-secrets.ts';

const ID = `102${'aB3_-'.repeat(4)}x-`;

test.each([
  ['/api/v1/users/00u1?', '/api/v1/users/00u1?'],
  [`/api/v1/sessions/${ID}`, '/api/v1/sessions/102...'],
  [`/api/v1/sessions/${ID}/lifecycle/refresh?x=1`, '/api/v1/sessions/102.../lifecycle/refresh?x=1'],
  [`/api/v1/sessions/%31${ID.slice(1)}/refresh`, '/api/v1/sessions/102.../refresh'],
  [`/api/v1/%73essions/${ID}?`, '/api/v1/%73essions/102...?'],
  ['/api/v1/sessions/me', '/api/v1/sessions/me'],
  ['/api/v1/sessions/me?', '/api/v1/sessions/me?'],
  ['/api/v1/sessions/me/lifecycle/refresh', '/api/v1/sessions/me/lifecycle/refresh'],
  ['/api/v1/sessions/men', '/api/v1/sessions/102...'],
  ['/api/v1/users/00u1/sessions?oauthTokens=', '/api/v1/users/00u1/sessions?oauthTokens='],
  [
    '/login/sessionCookieRedirect?token=abc&redirectUrl=https%3A%2F%2Fa.example',
    '/login/sessionCookieRedirect?token=...&redirectUrl=https%3A%2F%2Fa.example',
  ],
  [
    '/oauth2/v1/token?client_secret=a&client_assertion=b&scope=c',
    '/oauth2/v1/token?client_secret=...&client_assertion=...&scope=c',
  ],
  ['/welcome/abc', '/welcome/...'],
  ['/welcome/abc?ui_locales=de', '/welcome/...?ui_locales=de'],
  ['/reset_password/abc', '/reset_password/...'],
  ['/signin/reset-password/abc', '/signin/reset-password/...'],
  ['/signin/unlock/abc/def', '/signin/unlock/...'],
  ['/signin/unlock', '/signin/unlock'],
  ['//welcome//abc', '//welcome//...'],
  ['/w%65lcome/a%62c', '/welcome/...'],
  ['/welcome%2Fabc', '/welcome/...'],
  ['https://acme.example:8443/welcome/abc', 'https://acme.example:8443/welcome/...'],
  ['/welcome/%', '/welcome/...'],
  [
    '/api/v1/users/00u1/lifecycle/reset_password?sendEmail=true',
    '/api/v1/users/00u1/lifecycle/reset_password?sendEmail=true',
  ],
  ['/x?session%54oken=abc', '/x?session%54oken=...'],
  ['/x?%=a&token=b', '/x?%=a&token=...'],
  ['/signin?fromURI=%2Fx%3FsessionToken%3Dabc%26a%3Db', '/signin?fromURI=%2Fx%3FsessionToken%3D...%26a%3Db'],
  ['/signin?fromURI=/x?sessionToken=abc', '/signin?fromURI=%2Fx%3FsessionToken%3D...'],
  ['/signin?fromURI=%2Fwelcome%2Fabc', '/signin?fromURI=%2Fwelcome%2F...'],
  ['/signin?fromURI=%2Fwelcome%2F...', '/signin?fromURI=%2Fwelcome%2F...'],
  [
    `/a?b=${encodeURIComponent(`/signin?fromURI=${encodeURIComponent('/welcome/abc')}`)}`,
    `/a?b=${encodeURIComponent(`/signin?fromURI=${encodeURIComponent('/welcome/...')}`)}`,
  ],
  ['/signin?fromURI=%2Faccount%2Fprofile&a=%20+', '/signin?fromURI=%2Faccount%2Fprofile&a=%20+'],
  ['/x?stateToken=a&PASSWORD=b', '/x?stateToken=...&PASSWORD=...'],
])('%s', (address, shown) => {
  expect(withoutSecrets(address)).toBe(shown);
});
