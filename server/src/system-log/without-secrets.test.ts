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
  ['/x?stateToken=a&PASSWORD=b', '/x?stateToken=...&PASSWORD=...'],
])('%s', (address, shown) => {
  expect(withoutSecrets(address)).toBe(shown);
});
