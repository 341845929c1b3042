import { expect, test } from 'vitest';
import { ApiError } from '../../../kernel/errors/errors.ts';
import { namespaceOf } from '../../../kernel/words/namespace.ts';
import { assertIssuer, KNOWN_SCOPES, readScope, wireScope } from './grant-rules.ts';

const namespace = namespaceOf('acme');

test('every scope is read as it is written', () => {
  for (const scope of KNOWN_SCOPES) expect(readScope(wireScope(scope, namespace), namespace)).toBe(scope);
  expect(readScope('acme.users.read', namespace)).toBe('users.read');
});

test.each([
  '',
  'acme.',
  'users.read',
  'svc.users.read',
  'acme.users',
  'acme.users.delete',
  'acme.users.read ',
  'ACME.users.read',
  'acme.Users.read',
  'acme.acme.users.read',
  'acme.users.read acme.users.manage',
  'acme.logs.manage',
  'openid',
  'acme.constructor',
])('%j is no scope', (scopeId) => {
  expect(() => readScope(scopeId, namespace)).toThrow(ApiError);
});

test.each([
  '',
  'https://other.example',
  'https://acme.example/',
  'https://acme.example/oauth2/default',
  'http://acme.example',
  'https://ACME.example',
])('%j is not the issuer', (issuer) => {
  expect(() => assertIssuer(issuer, 'https://acme.example')).toThrow(ApiError);
});

test('the address of the org is the issuer', () => {
  expect(() => assertIssuer('https://acme.example', 'https://acme.example')).not.toThrow();
});
