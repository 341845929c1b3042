import { describe, expect, test } from 'vitest';
import { canonicalTarget } from './canonical-target.ts';

const canonical = (target: string, method = 'GET', requestedMethod?: string): string =>
  canonicalTarget({ method, requestedMethod, target });

describe('canonicalTarget', () => {
  test.each([
    ['/api/v1/users/', '/api/v1/users'],
    ['//api/v1/users', '/api/v1/users'],
    ['//api/v1/users/?activate=false', '/api/v1/users?activate=false'],
    ['/api/v1/users/?q=a/', '/api/v1/users?q=a/'],
    ['/api/v1/users?q=//', '/api/v1/users?q=//'],
  ])('%s is %s', (target, expected) => {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH']) expect(canonical(target, method)).toBe(expected);
    expect(canonical(target, 'OPTIONS', 'POST')).toBe(expected);
    expect(canonical(target, 'DELETE')).toBe(target);
    expect(canonical(target, 'OPTIONS', 'DELETE')).toBe(target);
  });

  test.each([
    '/',
    '//',
    '/api/v1/users',
    '/api/v1/users//',
    '///api/v1/users',
    '/api//v1/users',
    '/api/v1//users',
    '/api/v1/users%2F',
    '/%2Fapi/v1/users',
    '/api/v1/users/..',
    '/oauth2/v1/token/',
    '//oauth2/v1/token',
    '/oauth2/default/v1/token/',
    '/signin/',
    '//signin',
    '/.well-known/openid-configuration/',
    '//evil.example/api/v1/users/',
    'http://acme.localhost/api/v1/users/',
  ])('%s stays', (target) => expect(canonical(target)).toBe(target));
});
