import { signIn, WRONG } from '../support/authn.ts';
import { good } from '../support/custom-servers.ts';
import { logoutPath } from '../support/logout.ts';
import { ATTEMPTS_TO_LOCKOUT, changePassword, PASSWORD, userPath } from '../support/users.ts';
import { type Ending, lifecycle, remove } from './ends-ending.ts';
import type { Parent } from './ends-holding.ts';
import type { EndsWorld } from './ends-world.ts';

const ofUser = (world: EndsWorld, ...actions: readonly string[]) =>
  lifecycle(world, userPath(world.browser.userId), ...actions.map((action) => `${action}?sendEmail=false`));

const VOID = ['userWatermark', 'sessionToken'] as const satisfies readonly Parent[];

async function setPassword({ browser, org }: EndsWorld): Promise<unknown> {
  const credentials = { password: { value: 'Another-3-Horse' } };
  return good(org.admin.post(userPath(browser.userId), { body: { credentials } }));
}

async function lockOut({ browser, org }: EndsWorld): Promise<void> {
  for (let tries = 0; tries < ATTEMPTS_TO_LOCKOUT; tries += 1) await signIn(org.anonymous, browser.login, WRONG);
}

export const USER_ENDINGS: readonly Ending[] = [
  {
    name: 'the user is suspended',
    events: ['user.lifecycle.suspend'],
    ends: ['user', ...VOID],
    apply: (world) => ofUser(world, 'suspend'),
  },
  {
    name: 'the user is suspended, and not any more',
    events: ['user.lifecycle.suspend'],
    ends: VOID,
    apply: (world) => ofUser(world, 'suspend', 'unsuspend'),
  },
  {
    name: 'the user is deactivated',
    events: ['user.lifecycle.deactivate'],
    ends: ['user', ...VOID, 'userAccount'],
    apply: (world) => ofUser(world, 'deactivate'),
  },
  {
    name: 'the user is deactivated and activated',
    events: ['user.lifecycle.deactivate', 'application.user_membership.remove'],
    ends: [...VOID, 'userAccount', 'assignment', 'activeUser', 'apiToken'],
    apply: (world) => ofUser(world, 'deactivate', 'activate'),
  },
  {
    name: 'the user is deleted',
    events: ['user.lifecycle.delete.initiated', 'user.lifecycle.delete.completed'],
    ends: ['user', 'userAccount'],
    apply: async (world) => {
      for (let times = 0; times < 2; times += 1) await remove(world, userPath(world.browser.userId));
    },
  },
  {
    name: 'the sessions of the user are cleared',
    events: ['user.session.clear'],
    ends: ['session', 'sessionToken'],
    apply: (world) => remove(world, `${userPath(world.browser.userId)}/sessions`),
  },
  {
    name: 'the sessions and tokens of the user are cleared',
    events: ['user.session.clear'],
    ends: VOID,
    apply: (world) => remove(world, `${userPath(world.browser.userId)}/sessions?oauthTokens=true`),
  },
  {
    name: 'the user is given another password',
    events: ['user.account.update_password'],
    ends: VOID,
    apply: setPassword,
  },
  {
    name: 'the user takes another password',
    events: ['user.account.update_password'],
    ends: VOID,
    apply: ({ browser, org }) => good(changePassword(org.admin, browser.userId, PASSWORD, 'Another-3-Horse')),
  },
  {
    name: 'the password of the user is reset',
    events: ['user.account.reset_password'],
    ends: [...VOID, 'activeUser'],
    apply: (world) => ofUser(world, 'reset_password'),
  },
  {
    name: 'the password of the user is over',
    events: ['user.account.expire_password'],
    ends: ['activeUser'],
    apply: (world) => ofUser(world, 'expire_password'),
  },
  {
    name: 'the password of the user is over, with another one for the time being',
    events: ['user.account.expire_password'],
    ends: [...VOID, 'activeUser'],
    apply: (world) => ofUser(world, 'expire_password_with_temp_password'),
  },
  {
    name: 'the user is locked out',
    events: ['user.account.lock'],
    ends: ['activeUser'],
    apply: lockOut,
  },
  {
    name: 'the session is ended',
    events: ['user.session.end'],
    ends: ['session'],
    apply: (world) => remove(world, `/api/v1/sessions/${world.browser.cookie.split('=')[1] ?? ''}`),
  },
  {
    name: 'the app ends the session of its user',
    events: ['user.session.end'],
    ends: ['session'],
    apply: ({ browser, own }) => good(browser.client.get(logoutPath({ id_token_hint: own.id }))),
  },
  {
    name: 'an API token is revoked',
    events: ['system.api_token.revoke'],
    ends: ['apiToken'],
    apply: (world) => remove(world, `/api/v1/api-tokens/${world.apiToken.id}`),
  },
];
