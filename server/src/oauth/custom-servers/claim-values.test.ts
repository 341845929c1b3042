import { describe, expect, test } from 'vitest';
import type { ServerClaim } from '../../management/authorization-servers/index.ts';
import { accessTokenClaims } from './claim-values.ts';

const now = new Date('2026-11-21T10:00:00.000Z');
const facts = {
  appId: '0oa1',
  clientId: 'collector',
  label: 'Collector',
  applicationType: 'service',
  scopes: ['read'],
  now,
};

const claim = (name: string, value: string | null, more: Partial<ServerClaim> = {}): ServerClaim => ({
  id: 'ocl1',
  name,
  status: 'ACTIVE',
  claimType: 'RESOURCE',
  valueType: 'EXPRESSION',
  value,
  groupFilterType: null,
  scopes: [],
  alwaysInclude: true,
  isSystem: false,
  createdAt: now,
  lastUpdatedAt: now,
  revision: 1,
  ...more,
});
const SUB = claim('sub', '(appuser != null) ? appuser.userName : app.clientId', {
  valueType: 'SYSTEM',
  isSystem: true,
});

describe('claims of a client', () => {
  test.each([
    ['"fixed"', 'fixed'],
    ['app.id', '0oa1'],
    ['app.clientId', 'collector'],
    ['app.name + "/" + app.applicationType', 'Collector/service'],
    ['1 + 2', 3],
    ['true', true],
    ['{"a", "b"}', ['a', 'b']],
    ['Arrays.contains(access.scope, "read") ? "reader" : "nobody"', 'reader'],
    ['user.department ?: "none"', 'none'],
    ['(appuser != null) ? appuser.userName : app.clientId', 'collector'],
    ['app == null || user != null', false],
  ])('%s says %j', (text, value) => {
    expect(accessTokenClaims([claim('c', text)], facts)).toEqual({ subject: 'collector', claims: { c: value } });
  });

  test('of a user there are none', () => {
    const claims = [claim('c', 'user.email'), claim('g', '.*', { valueType: 'GROUPS', groupFilterType: 'REGEX' })];
    expect(accessTokenClaims(claims, facts)).toEqual({ subject: 'collector', claims: {} });
  });

  test('are those of access tokens, for the scopes that are granted', () => {
    const claims = [
      SUB,
      claim('always', '1'),
      claim('granted', '2', { scopes: ['other', 'read'] }),
      claim('other', '3', { scopes: ['other'] }),
      claim('identity', '4', { claimType: 'IDENTITY' }),
    ];
    expect(accessTokenClaims(claims, facts)).toEqual({ subject: 'collector', claims: { always: 1, granted: 2 } });
  });

  test('the subject is what the server says, and never nobody', () => {
    expect(accessTokenClaims([claim('sub', '"svc:" + app.clientId')], facts)).toMatchObject({
      subject: 'svc:collector',
    });
    for (const text of ['user.login', '1', 'nonsense.here']) {
      const told = accessTokenClaims([claim('sub', text)], facts);
      expect(told).toEqual({ refused: 'systemClaimFailed', claim: 'sub' });
    }
  });

  test.each([
    ['names what there is not', 'nonsense.attribute'],
    ['is no expression', '1 +'],
    ['is too long for a header', '"12345678".replace("1", "' + 'x'.repeat(7_000) + '")'],
  ])('one that %s refuses the token', (_, text) => {
    const told = accessTokenClaims([claim('good', '1'), claim('bad', text)], facts);
    expect(told).toEqual({ refused: 'userClaimFailed', claim: 'bad' });
  });
});

test('length is counted in bytes, that of scopes too', () => {
  const long = claim('long', `"${'ä'.repeat(1_000)}"`);
  const told = (times: number) =>
    accessTokenClaims(
      Array.from({ length: times }, () => long),
      facts,
    );
  expect(told(3)).toHaveProperty('claims');
  expect(told(4)).toMatchObject({ refused: 'userClaimFailed' });
  const scopes = Array.from({ length: 100 }, (_, index) => `a-scope-with-a-long-name-indeed-${index}`);
  expect(accessTokenClaims([], { ...facts, scopes })).toEqual({ refused: 'systemClaimFailed', claim: 'scp' });
});
