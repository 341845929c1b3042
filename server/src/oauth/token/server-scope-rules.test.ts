import { describe, expect, test } from 'vitest';
import { type RequestedScope, readServerScopes } from './server-scope-rules.ts';

const scope = (name: string, more: Partial<RequestedScope> = {}): RequestedScope => ({
  name,
  isSystem: false,
  consent: 'IMPLICIT',
  ...more,
});
const READ = scope('read');
const WRITE = scope('urn:example:write');
const FLEXIBLE = scope('flexible', { consent: 'FLEXIBLE' });
const REQUIRED = scope('secret', { consent: 'REQUIRED' });
const OPENID = scope('openid', { isSystem: true });

describe('scopes of a custom server', () => {
  test.each([
    ['read', [READ], ['read']],
    ['urn:example:write  read read ', [READ, WRITE], ['urn:example:write', 'read']],
    ['flexible', [FLEXIBLE], ['flexible']],
  ])('%j is granted', (text, known, scopes) => expect(readServerScopes(text, known)).toEqual({ scopes }));

  test.each([
    ['write', [], 'invalidScope'],
    ['read write', [READ], 'invalidScope'],
    ['READ', [READ], 'invalidScope'],
    ['read\twrite', [READ], 'invalidScope'],
    [`read${' '.repeat(1_024)}`, [READ], 'invalidScope'],
    ['openid', [OPENID], 'openidScopeForClient'],
    ['read openid', [READ, OPENID], 'openidScopeForClient'],
    ['openid unknown', [OPENID], 'openidScopeForClient'],
    ['', [], 'noDefaultScopes'],
    ['  ', [OPENID], 'noDefaultScopes'],
  ])('%j is refused', (text, known, refused) => expect(readServerScopes(text, known)).toEqual({ refused }));

  test('those that need a consent are named, and nothing is granted beside them', () => {
    expect(readServerScopes('read secret', [READ, REQUIRED])).toEqual({ consentRequired: ['secret'] });
    expect(readServerScopes('', [READ, REQUIRED])).toEqual({ consentRequired: ['secret'] });
  });

  test('without a scope the default ones are, but for those about a user', () => {
    expect(readServerScopes('', [OPENID, READ, WRITE])).toEqual({ scopes: ['read', 'urn:example:write'] });
  });
});
