import { describe, expect, test } from 'vitest';
import { checkSettingsChanges, DEFAULT_ORG_SETTINGS, readOrgSettings } from './settings.ts';

describe('readOrgSettings', () => {
  test('absent means the default', () => {
    expect(readOrgSettings({})).toEqual(DEFAULT_ORG_SETTINGS);
    expect(readOrgSettings(null)).toEqual(DEFAULT_ORG_SETTINGS);
  });

  test('what is set holds', () => {
    const rateLimits = { users: 50, default: 10 };
    const settings = {
      passwordErrors: 'single',
      rateLimits,
      perTokenPercent: 40,
      eventNames: 'current',
      logRetentionDays: 400,
      httpRedirectUris: 'allowed',
    };
    expect(readOrgSettings(settings)).toEqual(settings);
  });

  test('a stored value that is no good counts as absent, and the others hold', () => {
    expect(readOrgSettings({ passwordErrors: 'none', rateLimits: { users: 0 }, perTokenPercent: 40 })).toEqual({
      ...DEFAULT_ORG_SETTINGS,
      perTokenPercent: 40,
    });
  });
});

describe('checkSettingsChanges', () => {
  test('takes good values, and null for the default', () => {
    expect(() =>
      checkSettingsChanges({ passwordErrors: 'single', rateLimits: null, perTokenPercent: 1 }),
    ).not.toThrow();
  });

  test.each([
    ['passwordErrors', 'both'],
    ['logRetentionDays', 89],
    ['logRetentionDays', 3_651],
    ['logRetentionDays', 90.5],
    ['logRetentionDays', '400'],
    ['perTokenPercent', 0],
    ['perTokenPercent', 101],
    ['perTokenPercent', 1.5],
    ['perTokenPercent', '50'],
    ['rateLimits', []],
    ['rateLimits', { users: 0 }],
    ['rateLimits', { users: '5' }],
    ['rateLimits', { nothing: 5 }],
    ['rateLimits', { constructor: 5 }],
    ['unknown', 1],
    ['toString', 1],
  ])('refuses %s = %j', (name, value) => {
    expect(() => checkSettingsChanges({ [name]: value })).toThrow(
      expect.objectContaining({ code: 'E0000001', causes: [expect.anything()] }),
    );
  });
});
