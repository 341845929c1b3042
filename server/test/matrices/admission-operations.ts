import { type UserAction, userLifecycle } from '../../src/management/users/lifecycle/lifecycle.ts';
import { signIn, WRONG } from '../support/authn.ts';
import type { TestResponse } from '../support/client.ts';
import {
  ANOTHER_PASSWORD,
  ATTEMPTS_TO_LOCKOUT,
  changePassword,
  PASSWORD,
  type UserStatus,
  userPath,
} from '../support/users.ts';
import type { Bench, Credential } from './admission-ways.ts';

export interface Operation {
  readonly name: string;
  readonly from: readonly UserStatus[];
  /** The resulting status. Null means that the user is deleted; absent means that the status stays unchanged. */
  readonly to?: UserStatus | null;
  readonly voids: readonly Credential[];
  readonly apply: (bench: Bench, userId: string) => Promise<void>;
}

const done = (response: TestResponse): void => {
  if (response.status >= 300) throw new Error(`refused: ${response.text}`);
};

const lifecycle =
  (...operations: readonly string[]) =>
  async ({ org }: Bench, userId: string): Promise<void> => {
    for (const operation of operations) {
      done(await org.admin.post(`${userPath(userId)}/lifecycle/${operation}?sendEmail=false`));
    }
  };

const from = (action: UserAction): readonly UserStatus[] => userLifecycle.transition(action).from;

async function lockOut({ org }: Bench, userId: string): Promise<void> {
  const { login } = (await org.admin.get(userPath(userId))).body.profile;
  for (let attempt = 0; attempt < ATTEMPTS_TO_LOCKOUT; attempt += 1) await signIn(org.anonymous, login, WRONG);
  const { status } = (await org.admin.get(userPath(userId))).body;
  if (status !== 'LOCKED_OUT') throw new Error(`the user is ${status}`);
}

const setPassword = async ({ org }: Bench, userId: string): Promise<void> =>
  done(await org.admin.post(userPath(userId), { body: { credentials: { password: { value: 'Another-3-Horse' } } } }));

const SIGNED_IN: readonly Credential[] = ['stateToken', 'sessionToken', 'session'];
const MAILED: readonly Credential[] = ['activationToken', 'recoveryToken', 'unlockToken'];
/** Credentials from a sign-in, including those that apps received because of it. */
const ISSUED: readonly Credential[] = [...SIGNED_IN, 'oauth'];
const ALL: readonly Credential[] = ['password', ...MAILED, ...ISSUED];

export const OPERATIONS: readonly Operation[] = [
  { name: 'suspend', from: from('suspend'), to: 'SUSPENDED', voids: ISSUED, apply: lifecycle('suspend') },
  {
    name: 'suspend and unsuspend',
    from: from('suspend'),
    voids: ISSUED,
    apply: lifecycle('suspend', 'unsuspend'),
  },
  { name: 'deactivate', from: from('deactivate'), to: 'DEPROVISIONED', voids: ALL, apply: lifecycle('deactivate') },
  {
    name: 'deactivate and activate',
    from: from('deactivate'),
    to: 'PROVISIONED',
    voids: ALL,
    apply: lifecycle('deactivate', 'activate'),
  },
  {
    name: 'delete',
    from: from('deactivate'),
    to: null,
    voids: ALL,
    apply: async ({ org }, userId) => {
      for (let times = 0; times < 2; times += 1) done(await org.admin.del(userPath(userId)));
    },
  },
  {
    name: 'reset_password',
    from: from('resetPassword'),
    to: 'RECOVERY',
    voids: [...ISSUED, 'recoveryToken'],
    apply: lifecycle('reset_password'),
  },
  {
    name: 'expire_password',
    from: from('expirePassword'),
    to: 'PASSWORD_EXPIRED',
    voids: [],
    apply: lifecycle('expire_password'),
  },
  {
    name: 'expire_password_with_temp_password',
    from: from('expirePasswordWithTempPassword'),
    to: 'PASSWORD_EXPIRED',
    voids: ALL,
    apply: lifecycle('expire_password_with_temp_password'),
  },
  { name: 'ten wrong passwords', from: from('lockOut'), to: 'LOCKED_OUT', voids: [], apply: lockOut },
  { name: 'unlock', from: from('unlock'), to: 'ACTIVE', voids: [], apply: lifecycle('unlock') },
  {
    name: 'a password set by an administrator',
    from: from('adminSetPassword'),
    to: 'ACTIVE',
    voids: ALL,
    apply: setPassword,
  },
  {
    name: 'a password changed by the user',
    from: ['ACTIVE', 'PASSWORD_EXPIRED'],
    to: 'ACTIVE',
    voids: ALL,
    apply: async ({ org }, userId) => done(await changePassword(org.admin, userId, PASSWORD, `${ANOTHER_PASSWORD}!`)),
  },
  {
    name: 'the end of all sessions',
    from: ['PROVISIONED', 'ACTIVE', 'LOCKED_OUT', 'PASSWORD_EXPIRED'],
    voids: SIGNED_IN,
    apply: async ({ org }, userId) => done(await org.admin.del(`${userPath(userId)}/sessions`)),
  },
];
