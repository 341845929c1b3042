import { describe, expect, test } from 'vitest';
import { readCustomScopes, readOrgScopes } from './scope-rules.ts';

describe('scopes of the org’s own server', () => {
  const read = (text: string, granted: readonly string[] = ['users.read']) => readOrgScopes(text, granted, 'svc');

  test.each(['openid profile email address phone offline_access groups device_sso', 'svc.users.read', 'openid openid'])(
    '%s are given, each once',
    (text) => expect(read(text)).toEqual({ scopes: [...new Set(text.split(' '))] }),
  );

  test.each(['svc.users.manage', 'users.read', 'svc.openid', 'svc.', 'other', 'openid other', 'svc.users.read"'])(
    '%s is refused as a whole',
    (text) => expect(read(text)).toEqual({ refused: 'invalidScope' }),
  );

  test('are limited as a parameter, and not where they were granted', () => {
    const granted = Array.from({ length: 60 }, (_, index) => `users.read.with.a.long.name.${index}`);
    const asked = granted.map((name) => `svc.${name}`);
    expect(read(asked.join(' '), granted)).toEqual({ refused: 'invalidScope' });
    expect(readOrgScopes(asked, granted, 'svc')).toEqual({ scopes: asked });
    expect(readOrgScopes([...asked, 'other'], granted, 'svc')).toEqual({ refused: 'invalidScope' });
  });

  test('none is none', () => expect(read(' ')).toEqual({ refused: 'missingScopes' }));
});

describe('scopes of a custom server', () => {
  const known = ['openid', 'read'].map((name) => ({ name, isSystem: name === 'openid' }));

  test('are those it has', () => {
    expect(readCustomScopes('read openid', known)).toEqual({ scopes: ['read', 'openid'] });
    expect(readCustomScopes('read write', known)).toEqual({ refused: 'invalidScope' });
    expect(readCustomScopes('svc.users.read', known)).toEqual({ refused: 'invalidScope' });
  });

  test('are its default ones where none is asked for', () => {
    expect(readCustomScopes('', known)).toEqual({ scopes: ['openid', 'read'] });
    expect(readCustomScopes('', [])).toEqual({ refused: 'noDefaultScopes' });
  });
});
