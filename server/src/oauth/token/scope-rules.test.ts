import { describe, expect, test } from 'vitest';
import { readClientScopes } from './scope-rules.ts';

const granted = ['users.read', 'apps.manage', 'users.read.self'];

describe('scopes of a client', () => {
  test.each([
    ['svc.users.read', ['users.read']],
    ['svc.apps.manage svc.users.read', ['apps.manage', 'users.read']],
    ['svc.users.read  svc.users.read ', ['users.read']],
  ])('%j is granted', (text, scopes) => expect(readClientScopes(text, granted, 'svc')).toEqual({ scopes }));

  test.each([
    [undefined, 'missingScopes'],
    ['', 'missingScopes'],
    ['  ', 'missingScopes'],
    ['svc.users.manage', 'invalidScope'],
    ['svc.users.read svc.users.manage', 'invalidScope'],
    ['svc.apps.read', 'invalidScope'],
    ['users.read', 'invalidScope'],
    ['okta.users.read', 'invalidScope'],
    ['SVC.users.read', 'invalidScope'],
    ['svc.users.read,svc.apps.manage', 'invalidScope'],
    ['svc.users.read\tsvc.apps.manage', 'invalidScope'],
    ['svc.users.read "', 'invalidScope'],
    [`svc.users.read${' '.repeat(1_020)}`, 'invalidScope'],
    ['*', 'invalidScope'],
    ['svc.toString', 'invalidScope'],
    ['openid', 'openidScopeForClient'],
    ['svc.users.read offline_access', 'openidScopeForClient'],
    ['svc.users.read.self', 'selfScopeForClient'],
    ['svc.apps.read.self', 'invalidScope'],
  ])('%j is refused', (text, refused) => expect(readClientScopes(text, granted, 'svc')).toEqual({ refused }));

  test('who was granted nothing gets nothing', () => {
    expect(readClientScopes('svc.users.read', [], 'svc')).toEqual({ refused: 'invalidScope' });
  });
});
