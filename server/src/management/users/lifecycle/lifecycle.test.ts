import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ApiError } from '../../../kernel/errors/errors.ts';
import { USER_STATUSES, type UserStatus } from '../../../kernel/user-statuses.ts';
import {
  deletionOf,
  type LifecycleUser,
  nextStatus,
  permits,
  refusalOf,
  type UserAction,
  userLifecycle,
  userLinkRelations,
} from './lifecycle.ts';

const user = (status: UserStatus, change: Partial<LifecycleUser> = {}): LifecycleUser => ({
  status,
  statusBeforeSuspension: null,
  hasPassword: true,
  hasRecoveryQuestion: true,
  signsInElsewhere: false,
  ownsPassword: true,
  ...change,
});

/**
 * Each cell is the outcome for a user with every credential: the first four letters of the next status, `gone` after a
 * deletion, or `E` and the last two digits of the refusal code. The columns are the statuses in the order of
 * USER_STATUSES.
 */
// biome-ignore format: one line per operation
const MATRIX: Readonly<Record<UserAction, string>> = {
  //                               STAG PROV ACTI RECO LOCK PASS SUSP DEPR
  activate:                       'ACTI E16  E16  E16  E16  E16  E16  ACTI',
  reactivate:                     'E38  PROV E38  RECO E38  E38  E38  E38',
  deactivate:                     'DEPR DEPR DEPR DEPR DEPR DEPR DEPR E38',
  delete:                         'E38  E38  E38  E38  E38  E38  E38  gone',
  suspend:                        'E01  SUSP SUSP SUSP SUSP SUSP E01  E01',
  unsuspend:                      'E01  E01  E01  E01  E01  E01  ACTI E01',
  unlock:                         'E32  E32  E32  E32  ACTI E32  E32  E32',
  resetPassword:                  'E38  RECO RECO RECO RECO RECO E38  E38',
  resetPasswordFederation:        'STAG E38  ACTI E38  E38  E38  E38  E38',
  expirePassword:                 'E38  E38  PASS E38  E38  PASS E38  E38',
  expirePasswordWithTempPassword: 'E38  E38  PASS E38  E38  PASS E38  E38',
  forgotPassword:                 'E34  E34  ACTI E34  E34  E34  E34  E34',
  changePassword:                 'STAG E35  ACTI ACTI E35  ACTI E35  E35',
  changeRecoveryQuestion:         'STAG E36  ACTI RECO E36  E36  E36  E36',
  adminSetPassword:               'STAG ACTI ACTI ACTI E38  ACTI E38  E38',
  liftFailures:                   'STAG E32  ACTI RECO E32  PASS E32  E32',
  completeActivation:             'E38  ACTI E38  E38  E38  E38  E38  E38',
  completeRecovery:               'E38  E38  ACTI ACTI ACTI ACTI E38  E38',
  lockOut:                        'E38  E38  LOCK E38  E38  E38  E38  E38',
  autoUnlock:                     'E38  E38  E38  E38  ACTI E38  E38  E38',
  unlockOwn:                      'E32  E32  E32  E32  ACTI E32  E32  E32',
  passwordTooOld:                 'E38  E38  PASS E38  E38  E38  E38  E38',
};
const spelledOut = (cell: string): string =>
  USER_STATUSES.find((status) => status.startsWith(cell)) ?? cell.replace(/^E/, 'E00000');

const EVENTS: Readonly<Record<UserAction, string>> = {
  activate: 'user.lifecycle.activate',
  reactivate: 'user.lifecycle.reactivate',
  deactivate: 'user.lifecycle.deactivate',
  delete: 'user.lifecycle.delete.initiated',
  suspend: 'user.lifecycle.suspend',
  unsuspend: 'user.lifecycle.unsuspend',
  unlock: 'user.account.unlock_by_admin',
  resetPassword: 'user.account.reset_password',
  resetPasswordFederation: 'user.account.reset_password',
  expirePassword: 'user.account.expire_password',
  expirePasswordWithTempPassword: 'user.account.expire_password',
  forgotPassword: 'user.account.reset_password',
  changePassword: 'user.account.update_password',
  changeRecoveryQuestion: 'user.account.update_profile',
  adminSetPassword: 'user.account.update_password',
  liftFailures: 'user.account.unlock_by_admin',
  completeActivation: 'user.account.update_password',
  completeRecovery: 'user.account.update_password',
  lockOut: 'user.account.lock',
  autoUnlock: 'user.account.unlock',
  unlockOwn: 'user.account.unlock',
  passwordTooOld: 'user.account.expire_password',
};

const LINKS: Readonly<Record<UserStatus, readonly string[]>> = {
  STAGED: ['activate'],
  PROVISIONED: ['deactivate', 'reactivate', 'resetPassword', 'suspend'],
  ACTIVE: [
    'changePassword',
    'changeRecoveryQuestion',
    'deactivate',
    'expirePassword',
    'forgotPassword',
    'resetPassword',
    'suspend',
  ],
  RECOVERY: ['changePassword', 'changeRecoveryQuestion', 'deactivate', 'reactivate', 'resetPassword', 'suspend'],
  LOCKED_OUT: ['deactivate', 'resetPassword', 'suspend', 'unlock'],
  PASSWORD_EXPIRED: ['changePassword', 'deactivate', 'expirePassword', 'resetPassword', 'suspend'],
  SUSPENDED: ['deactivate', 'unsuspend'],
  DEPROVISIONED: ['activate', 'delete'],
};

const relations = (of: LifecycleUser): string[] =>
  userLinkRelations(of)
    .map(({ relation }) => relation)
    .toSorted();

const outcome = (of: LifecycleUser, action: UserAction): string =>
  refusalOf(of, action)?.code ?? nextStatus(of, action) ?? 'gone';

describe('the table', () => {
  test('has the pinned operations and no other', () => {
    expect(userLifecycle.actions.toSorted()).toEqual(Object.keys(MATRIX).toSorted());
  });

  test.each(userLifecycle.actions)('%s: every status leads on or is refused as pinned', (action) => {
    expect(USER_STATUSES.map((status) => outcome(user(status), action))).toEqual(
      MATRIX[action].split(/\s+/).map(spelledOut),
    );
  });

  test.each(userLifecycle.actions)('%s is recorded as pinned', (action) => {
    expect(userLifecycle.transition(action).event).toBe(EVENTS[action]);
  });

  test.each(USER_STATUSES)('publishes the pinned links of %s', (status) => {
    expect(relations(user(status))).toEqual(LINKS[status]);
  });

  test('gives each link its method and path', () => {
    const links = USER_STATUSES.flatMap((status) => userLinkRelations(user(status)));
    expect(Object.fromEntries(links.map(({ relation, method, path }) => [relation, `${method} ${path}`]))).toEqual({
      activate: 'POST lifecycle/activate',
      reactivate: 'POST lifecycle/reactivate',
      deactivate: 'POST lifecycle/deactivate',
      delete: 'DELETE ',
      suspend: 'POST lifecycle/suspend',
      unsuspend: 'POST lifecycle/unsuspend',
      unlock: 'POST lifecycle/unlock',
      resetPassword: 'POST lifecycle/reset_password',
      expirePassword: 'POST lifecycle/expire_password',
      forgotPassword: 'POST credentials/forgot_password',
      changePassword: 'POST credentials/change_password',
      changeRecoveryQuestion: 'POST credentials/change_recovery_question',
    });
  });
});

describe('what depends on more than the status', () => {
  const bare = { hasPassword: false, hasRecoveryQuestion: false };

  test.each([
    [user('STAGED', bare), 'PROVISIONED'],
    [user('DEPROVISIONED', bare), 'PROVISIONED'],
    [user('STAGED', { ...bare, signsInElsewhere: true }), 'ACTIVE'],
  ])('activate leads %o to %s', (staged, expected) => {
    expect(nextStatus(staged, 'activate')).toBe(expected);
  });

  test.each(['PROVISIONED', 'ACTIVE', 'RECOVERY', 'LOCKED_OUT', 'PASSWORD_EXPIRED'] as const)(
    'suspend and unsuspend bring a user who is %s back there',
    (status) => {
      const suspended = nextStatus(user(status), 'suspend');
      expect(suspended).toBe('SUSPENDED');
      expect(nextStatus(user('SUSPENDED', { statusBeforeSuspension: status }), 'unsuspend')).toBe(status);
    },
  );

  test('unsuspend never leads to a status that suspend does not come from', () => {
    expect(nextStatus(user('SUSPENDED', { statusBeforeSuspension: 'DEPROVISIONED' }), 'unsuspend')).toBe('ACTIVE');
  });

  test.each([
    ['expirePassword', 'E0000038'],
    ['expirePasswordWithTempPassword', 'E0000038'],
    ['changePassword', 'E0000035'],
    ['changeRecoveryQuestion', 'E0000036'],
    ['forgotPassword', 'E0000034'],
  ] as const)('%s needs its credential', (action, code) => {
    expect(refusalOf(user('ACTIVE', bare), action)?.code).toBe(code);
  });

  test('links follow the credentials', () => {
    expect(relations(user('ACTIVE', bare))).toEqual(['deactivate', 'resetPassword', 'suspend']);
    expect(relations(user('ACTIVE', { hasRecoveryQuestion: false }))).toEqual([
      'changePassword',
      'changeRecoveryQuestion',
      'deactivate',
      'expirePassword',
      'resetPassword',
      'suspend',
    ]);
    expect(relations(user('ACTIVE', { hasPassword: false }))).toEqual([
      'deactivate',
      'forgotPassword',
      'resetPassword',
      'suspend',
    ]);
  });

  test('what another provider keeps is not recovered here', () => {
    const elsewhere = user('ACTIVE', { ownsPassword: false });
    expect(refusalOf(elsewhere, 'forgotPassword')?.code).toBe('E0000034');
    expect(relations(elsewhere)).not.toContain('forgotPassword');
  });

  test('DELETE deactivates a live user and removes a deactivated one', () => {
    expect(USER_STATUSES.filter((status) => deletionOf(status) === 'delete')).toEqual(['DEPROVISIONED']);
    for (const status of USER_STATUSES) expect(permits(user(status), deletionOf(status))).toBe(true);
  });

  test('the refusal of suspend and unsuspend is 400 and names the status', () => {
    const refusal = refusalOf(user('STAGED'), 'suspend');
    expect(refusal).toMatchObject({ status: 400, message: 'Api validation failed: suspend' });
    expect(refusal?.causes).toEqual([{ errorSummary: 'Cannot suspend a user whose status is STAGED.' }]);
    expect(() => nextStatus(user('ACTIVE'), 'unsuspend')).toThrow(ApiError);
  });
});

describe('any walk', () => {
  const anyUser = fc.record({
    status: fc.constantFrom(...USER_STATUSES),
    statusBeforeSuspension: fc.option(fc.constantFrom(...USER_STATUSES)),
    hasPassword: fc.boolean(),
    hasRecoveryQuestion: fc.boolean(),
    signsInElsewhere: fc.boolean(),
    ownsPassword: fc.boolean(),
  });

  test('ends where the row says it may, and every published link is permitted', () => {
    fc.assert(
      fc.property(anyUser, fc.constantFrom(...userLifecycle.actions), (of, action) => {
        for (const { relation } of userLinkRelations(of)) expect(permits(of, relation)).toBe(true);
        if (!permits(of, action)) return;
        const { to } = userLifecycle.transition(action);
        const next = nextStatus(of, action);
        if (to === 'unchanged') expect(next).toBe(of.status);
        else if (to === 'removed') expect(next).toBeNull();
        else expect(to).toContain(next);
      }),
    );
  });
});
