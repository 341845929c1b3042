import { expect, test } from 'vitest';
import { VERSION } from '../../server/src/platform/release.ts';
import { SETTINGS, type Setting } from '../../server/src/settings/settings.ts';
import { faultyFormerNames } from './former-names.ts';

const row = (name: `GATEHOUSE_${string}`, formerly?: Setting<unknown>['formerly']): Setting<unknown> => ({
  name,
  type: 'text',
  default: null,
  meaning: 'An example.',
  read: (text) => text,
  ...(formerly && { formerly }),
});

const faultsAt = (version: string, until: string) =>
  faultyFormerNames([row('GATEHOUSE_NEW', { name: 'GATEHOUSE_OLD', until })], version);

test('the rule for former names finds expired ones, unreadable releases and names of two settings', () => {
  expect(faultsAt('0.9.9', '0.10.0')).toEqual([]);
  expect(faultsAt('0.10.0', '0.10.0')).toEqual([
    'GATEHOUSE_OLD: release 0.10.0 refuses it, so delete "formerly" from its row',
  ]);
  expect(faultsAt('0.10.0', '0.9.9')).toHaveLength(1);
  expect(faultsAt('0.2.0', 'soon')).toEqual(['GATEHOUSE_OLD: "soon" is no release; write it as 1.2.0']);
  const formerly = { name: 'GATEHOUSE_OLD', until: '2.0.0' } as const;
  expect(faultyFormerNames([row('GATEHOUSE_A', formerly), row('GATEHOUSE_OLD')], '1.0.0')).toHaveLength(1);
  expect(faultyFormerNames([row('GATEHOUSE_A', formerly), row('GATEHOUSE_B', formerly)], '1.0.0')).toHaveLength(2);
});

test('no former name of a setting has expired', () => {
  expect(faultyFormerNames(Object.values<Setting<unknown>>(SETTINGS), VERSION)).toEqual([]);
});
