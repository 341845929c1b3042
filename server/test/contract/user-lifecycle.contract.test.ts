import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { USER_STATUSES, type UserStatus } from '../../src/kernel/user-statuses.ts';
import {
  type LifecycleUser,
  permits,
  type UserAction,
  userLifecycle,
  userLinkRelations,
} from '../../src/management/users/lifecycle/lifecycle.ts';

interface ContractTransition {
  op: string;
  from: readonly string[] | null;
  to: string;
  error?: string;
  alsoLinkedFor?: readonly string[];
}
interface Contract {
  statuses: readonly string[];
  links: Readonly<Record<UserStatus, { links: readonly string[] }>>;
  transitions: readonly ContractTransition[];
}

const root = path.resolve(import.meta.dirname, '../../..');
const directory = process.env['CONTRACT_DIR'] ?? path.resolve(root, '../shared/contract');
const file = path.join(directory, 'user-lifecycle.json');
const isPresent = existsSync(file);
if (!isPresent) console.warn(`SKIPPED: the user lifecycle was not compared with the contract: no ${file}`);

/** The action of our lifecycle for each of these operations of the contract. */
const ACTIONS: Readonly<Record<string, UserAction>> = {
  'lifecycle/activate': 'activate',
  'lifecycle/reactivate': 'reactivate',
  'user completes activation link / activation token': 'completeActivation',
  'lifecycle/deactivate': 'deactivate',
  'lifecycle/suspend': 'suspend',
  'lifecycle/unsuspend': 'unsuspend',
  'lifecycle/unlock': 'unlock',
  'lifecycle/reset_password': 'resetPassword',
  'lifecycle/reset_password?provider=FEDERATION': 'resetPasswordFederation',
  'lifecycle/expire_password': 'expirePassword',
  'lifecycle/expire_password_with_temp_password': 'expirePasswordWithTempPassword',
  'credentials/change_password': 'changePassword',
  'credentials/change_recovery_question': 'changeRecoveryQuestion',
  'credentials/forgot_password': 'forgotPassword',
  'POST or PUT user with credentials.password.value (admin set)': 'adminSetPassword',
  'sign-in with wrong password': 'lockOut',
  'lockout.autoUnlockMinutes elapsed': 'autoUnlock',
  'sign-in with a password older than age.maxAgeDays': 'passwordTooOld',
};
/** Operations that do not correspond to exactly one transition of our lifecycle. */
const ELSEWHERE = new Set([
  'DELETE /api/v1/users/{id}',
  'lifecycle/reset_factors',
  'credentials/forgot_password_recovery_question',
]);

const complete = (status: UserStatus): LifecycleUser => ({
  status,
  statusBeforeSuspension: null,
  hasPassword: true,
  hasRecoveryQuestion: true,
  signsInElsewhere: false,
  ownsPassword: true,
});

describe.skipIf(!isPresent)('the user lifecycle and the contract', () => {
  const contract: Contract = isPresent
    ? JSON.parse(readFileSync(file, 'utf8'))
    : { statuses: [], links: {}, transitions: [] };
  const operations = contract.transitions.filter(({ op, from }) => from !== null && !ELSEWHERE.has(op));

  test('have the same statuses', () => {
    expect([...USER_STATUSES].toSorted()).toEqual(contract.statuses.toSorted());
  });

  test.each(USER_STATUSES)('publish the same links of %s', (status) => {
    const expected = contract.links[status].links.filter((relation) => !relation.endsWith('?'));
    const published: string[] = userLinkRelations(complete(status)).map(({ relation }) => relation);
    expect(published.toSorted()).toEqual(expected.toSorted());
  });

  test('every operation of the contract has a row', () => {
    expect(operations.map(({ op }) => op).filter((op) => !Object.hasOwn(ACTIONS, op))).toEqual([]);
    expect(new Set(operations.map(({ op }) => ACTIONS[op])).size).toBe(Object.keys(ACTIONS).length);
  });

  test.each(Object.entries(ACTIONS))('%s is allowed in the same statuses, refused with the same code', (op, action) => {
    const rows = operations.filter((row) => row.op === op);
    const published = USER_STATUSES.filter((status) => contract.links[status].links.includes(action));
    const listed = rows.flatMap(({ from }) => (from ?? []).map((status) => status.split(' ')[0]));
    const allowed = USER_STATUSES.filter((status) => permits(complete(status), action));
    expect(allowed).toEqual(USER_STATUSES.filter((status) => listed.includes(status) || published.includes(status)));
    const { to, refusal } = userLifecycle.transition(action);
    for (const row of rows) {
      if (row.error !== undefined) expect(row.error).toContain(refusal);
      if (typeof to !== 'string')
        expect(to.some((status) => row.to.includes(status)) || row.to === 'unchanged').toBe(true);
      else expect(row.to).toContain(to);
    }
  });
});
