import { afterEach, describe, expect, test } from 'vitest';
import { FORMERLY, renameSetting, restoreSetting } from '../../../test/support/renamed-setting.ts';
import {
  checkNode,
  judgeSettingNames,
  reportClock,
  reportDataFolder,
  reportExpiry,
  reportMasterKey,
  reportOwners,
  reportPartitions,
  reportSchema,
  reportSealing,
  reportShutApps,
  reportSpace,
} from './doctor-checks.ts';

const now = new Date('2026-11-20T12:00:00.000Z');
const inDays = (days: number) => new Date(now.getTime() + days * 86_400_000);

describe('doctor', () => {
  afterEach(restoreSetting);

  test('former names of settings are a warning', () => {
    expect(judgeSettingNames({ [FORMERLY.name]: '1' }).state).toBe('ok');
    renameSetting();
    expect(judgeSettingNames({ [FORMERLY.name]: '1' })).toMatchObject({ state: 'warn' });
    expect(judgeSettingNames({ [FORMERLY.name]: '1' }).detail).toContain('is now GATEHOUSE_DRAIN_SECONDS');
  });

  test.each([
    ['20.19.0', 'ok'],
    ['22.1.0', 'ok'],
    ['20.18.9', 'fail'],
    ['18.20.4', 'fail'],
  ])('Node.js %s is %s', (version, state) => expect(checkNode(version).state).toBe(state));

  test.each([
    [100, 'fail'],
    [1_999, 'warn'],
    [2_000, 'ok'],
  ])('%i MB free is %s', (megabytes, state) => expect(reportSpace(megabytes).state).toBe(state));

  test.each([
    [0, 'ok'],
    [4_400, 'ok'],
    [-30_000, 'warn'],
    [90_000, 'fail'],
  ])('a clock %i ms off is %s', (milliseconds, state) => expect(reportClock(milliseconds).state).toBe(state));

  test.each([
    [false, { previous: 0, unknown: 0 }, 'ok', 'keep a copy'],
    [true, { previous: 3, unknown: 0 }, 'warn', '3 values are still sealed with the old key: gatehouse keys rekey'],
    [true, { previous: 0, unknown: 0 }, 'warn', 'you can remove GATEHOUSE_MASTER_KEY_PREVIOUS'],
    [false, { previous: 0, unknown: 1 }, 'fail', '1 value is sealed with another key'],
    [true, { previous: 3, unknown: 2 }, 'fail', '2 values are sealed with another key'],
  ] as const)('of the master key: an old one %s, %o: %s', (hasPrevious, sealed, state, part) => {
    const finding = reportMasterKey(hasPrevious, sealed);
    expect(finding).toMatchObject({ state, detail: expect.stringContaining(part) as string });
  });

  test.each([
    [0o40700, 'ok'],
    [0o40710, 'ok'],
    [0o40711, 'warn'],
    [0o40750, 'warn'],
    [0o40755, 'warn'],
  ])('a data folder of mode %o is %s', (mode, state) => expect(reportDataFolder(mode).state).toBe(state));

  test('names each app that a rule shuts, and what the rule asks for', () => {
    expect(reportShutApps([]).state).toBe('ok');
    const parts = ['conditions.device', 'actions.appSignOn.verificationMethod.factorMode'];
    const rule = { org: 'acme', policy: 'Payroll', rule: 'Managed', parts, apps: ['Pay', 'Books'] };
    expect(reportShutApps([rule])).toEqual({
      state: 'warn',
      detail:
        'apps closed by rules that require features that do not exist yet: acme: Pay, Books (rule "Managed" of the ' +
        'policy "Payroll": conditions.device, actions.appSignOn.verificationMethod.factorMode)',
    });
  });

  test('says on which side the clock is', () => {
    expect(reportClock(9_000).detail).toBe('9 s behind the database');
    expect(reportClock(-9_000).detail).toBe('9 s ahead of the database');
  });

  test.each([
    [-1, 'fail'],
    [3, 'warn'],
    [200, 'ok'],
  ])('a certificate good for %i days is %s', (days, state) =>
    expect(reportExpiry(inDays(days), now).state).toBe(state),
  );

  test.each([
    [0, 'fail'],
    [10, 'warn'],
    [35, 'ok'],
    [null, 'ok'],
  ])('partitions for %s days are %s', (days, state) => expect(reportPartitions(days).state).toBe(state));

  test.each([
    [null, true, 'ok', 'nothing is sealed yet'],
    [{ unsealed: 7, blockedOrgs: 0, seconds: 3_600 }, true, 'ok', '7 events are not sealed yet, and none is late'],
    [{ unsealed: 7, blockedOrgs: 0, seconds: 7_300 }, true, 'warn', 'should have been sealed 2 hours ago'],
    [{ unsealed: 7, blockedOrgs: 0, seconds: 7_300 }, false, 'warn', 'no server is running'],
    [{ unsealed: 7, blockedOrgs: 1, seconds: 0 }, true, 'fail', 'the log of 1 org cannot be sealed'],
    [{ unsealed: 7, blockedOrgs: 2, seconds: 9_000 }, false, 'fail', 'the logs of 2 orgs cannot be sealed'],
  ] as const)('of sealing: %o, serving %s: %s', (lag, isServing, state, part) => {
    const detail = expect.stringContaining(part) as string;
    expect(reportSealing(lag, isServing)).toMatchObject({ state, detail });
  });

  test('hooks and streams without an owner are counted', () => {
    expect(reportOwners({ hooks: 0, streams: 0 }).state).toBe('ok');
    expect(reportOwners({ hooks: 2, streams: 1 })).toMatchObject({
      state: 'warn',
      detail: expect.stringContaining('2 event hooks and 1 log streams have no owner'),
    });
  });
});

test.each<[string, readonly number[], string]>([
  ['ok', [1, 2, 3, 4, 5], 'version 5'],
  ['ok', [1, 2, 4], 'version 4; 3, 5 follow when no older version has run for a minute'],
  ['ok', [1, 2, 4, 5], 'version 5; 3 follows when no older version has run for a minute'],
  ['ok', [1, 2, 3, 4], 'version 4; 5 follows when no older version has run for a minute'],
  ['fail', [1, 2], 'version 2, but this release needs 5'],
  ['fail', [1, 2, 5], 'version 5 without 4, but this release needs it'],
  ['fail', [1, 3, 5], 'version 5 without 2, 4, but this release needs them'],
  ['fail', [], 'version 0, but this release needs 5'],
  ['warn', [1, 2, 3, 4, 5, 6], 'version 6, created by a newer release'],
])('the schema is %s after the migrations %j', (state, applied, detail) => {
  expect(reportSchema(applied, { version: 5, deferred: [3, 5] })).toMatchObject({
    state,
    detail: expect.stringContaining(detail) as string,
  });
});
