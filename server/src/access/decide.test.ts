import { describe, expect, test } from 'vitest';
import { wholeRole } from '../kernel/words/held-role.ts';
import { decide, lacksScope } from './decide.ts';

const SUPER = wholeRole('SUPER_ADMIN');
const client = (...scopes: string[]) => ({ userId: null, roles: [SUPER], scopes });

describe('scopes', () => {
  test.each([
    [['users.read'], ['users.read'], false],
    [['users.manage'], ['users.read'], false],
    [['users.read'], ['users.manage'], true],
    [['groups.manage'], ['users.read'], true],
    [[], ['users.read'], true],
    [['users.manage'], ['users.read', 'groups.read'], true],
    [['users.managed'], ['users.read'], true],
    [[], [], false],
  ])('a token with %j lacks one of %j: %s', (held, asked, isLacking) => {
    expect(lacksScope(client(...held), asked)).toBe(isLacking);
    expect(decide(client(...held), 'users.read', asked)).toEqual(isLacking ? null : { kind: 'all' });
  });

  test('API tokens and sessions are not asked for any', () => {
    for (const scopes of [undefined, null]) {
      const subject = {
        userId: 'u',
        roles: [wholeRole('READ_ONLY_ADMIN')],
        ...(scopes === undefined ? {} : { scopes }),
      };
      expect(decide(subject, 'users.read', ['users.read'])).toEqual({ kind: 'all' });
    }
  });

  test('a scope without a role opens nothing, and a client owns no profile', () => {
    expect(decide({ userId: null, roles: [], scopes: ['users.manage'] }, 'users.read', ['users.read'])).toBeNull();
    expect(decide({ userId: 'u', roles: [], scopes: null }, 'users.read')).toEqual({ kind: 'ids', ids: ['u'] });
  });

  test('a permission nobody knows is a fault', () => {
    expect(() => decide(client(), 'users.red', [])).toThrow('users.red');
  });
});
