import { beginStep, QUESTION_FACTOR, shownCode } from '../support/factors.ts';
import { newProfile, type TestOrg } from '../support/service.ts';
import {
  ANOTHER_PASSWORD,
  CREDENTIALS,
  changePassword,
  filterPath,
  lockOut,
  PASSWORD,
  searchPath,
  userPath,
} from '../support/users.ts';
import type { Ask, Body, Use } from './asking.ts';

export const newUser = (ask: Ask): Promise<Body> =>
  ask('POST', '/api/v1/users', { profile: newProfile(), credentials: CREDENTIALS });

async function useCredentials(ask: Ask, user: string): Promise<void> {
  await ask('POST', `${user}/credentials/change_password`, {
    oldPassword: { value: PASSWORD },
    newPassword: { value: ANOTHER_PASSWORD },
  });
  await ask('POST', `${user}/credentials/change_recovery_question`, {
    password: { value: ANOTHER_PASSWORD },
    recovery_question: { question: 'R?', answer: 'another answer' },
  });
  await ask('POST', `${user}/credentials/forgot_password?sendEmail=true`);
  await ask('POST', `${user}/credentials/forgot_password_recovery_question`, {
    password: { value: 'Recovered-3-Times' },
    recovery_question: { answer: 'another answer' },
  });
}

async function useFactors({ ask, service }: Use): Promise<void> {
  const { id } = await newUser(ask);
  const factors = `${userPath(id)}/factors`;
  for (const path of ['', '/catalog', '/questions']) await ask('GET', `${factors}${path}`);
  beginStep(service);
  const device = await ask('POST', factors, { factorType: 'token:software:totp', provider: 'GOOGLE' });
  const code = (steps: number): object => ({ passCode: shownCode(device, service.clock.now(), steps) });
  await ask('POST', `${factors}/${device.id}/lifecycle/activate`, code(0));
  await ask('POST', `${factors}/${device.id}/verify`, code(1));
  await ask('GET', `${factors}/${device.id}`);
  await ask('DELETE', `${factors}/${device.id}`);
  const question = await ask('POST', factors, QUESTION_FACTOR);
  await ask('POST', `${factors}/${question.id}/verify`, { answer: QUESTION_FACTOR.profile.answer });
  await ask('POST', `${userPath(id)}/lifecycle/reset_factors`);
}

async function useUsers({ ask, org }: Use): Promise<void> {
  const { id, profile } = await newUser(ask);
  const user = userPath(id);
  for (const name of [id, profile.login, profile.login.split('@')[0], 'me']) await ask('GET', userPath(name));
  await ask('POST', user, { profile: { nickName: 'N' } });
  await ask('PUT', user, { profile: { ...newProfile({ login: profile.login }), displayName: 'D' } });
  await useCredentials(ask, user);
  for (const operation of ['suspend', 'unsuspend', 'reset_password', 'deactivate', 'activate', 'reactivate']) {
    await ask('POST', `${user}/lifecycle/${operation}`);
  }
  for (const operation of ['expire_password', 'expire_password_with_temp_password']) {
    await ask('POST', `${userPath((await newUser(ask)).id)}/lifecycle/${operation}`);
  }
  const locked = await newUser(ask);
  await lockOut(org.admin, locked.id);
  await ask('GET', `${userPath(locked.id)}/blocks`);
  await ask('GET', `${userPath(locked.id)}/devices`);
  await changePassword(org.admin, locked.id, PASSWORD, ANOTHER_PASSWORD);
  await ask('POST', `${userPath(locked.id)}/lifecycle/unlock`);
  await ask('DELETE', userPath(locked.id));
  await ask('DELETE', userPath(locked.id));
}

const SEARCHES = [
  'status eq "ACTIVE"',
  'profile.firstName sw "A" and not (profile.lastName eq "X")',
  'profile.login co "user" or profile.email co "example"',
  'lastUpdated gt "2020-01-01T00:00:00.000Z"',
  'profile.nickName pr',
  'id gt "00u"',
];

async function useLists(ask: Ask): Promise<void> {
  for (const search of SEARCHES) {
    await ask('GET', searchPath(search, '&limit=1'));
    await ask('GET', searchPath(search, '&sortBy=profile.lastName&sortOrder=desc'));
  }
  for (const filter of ['status eq "ACTIVE"', 'profile.login eq "x"']) await ask('GET', filterPath(filter));
  await ask('GET', '/api/v1/users?q=Ada');
}

async function useRoles(ask: Ask): Promise<void> {
  const roles = `${userPath((await newUser(ask)).id)}/roles`;
  const role = await ask('POST', roles, { type: 'HELP_DESK_ADMIN' });
  await ask('GET', roles);
  await ask('GET', `${roles}/${role.id}`);
  await ask('DELETE', `${roles}/${role.id}`);
}

/** Sends a request twice with the same idempotency key, like a client that got no response. */
async function createTwice(org: TestOrg): Promise<void> {
  const idempotent = { body: { profile: newProfile() }, headers: { 'idempotency-key': 'once' } };
  await org.admin.post('/api/v1/users', idempotent);
  await org.admin.post('/api/v1/users', idempotent);
}

export async function useUserRoutes(use: Use): Promise<void> {
  await useUsers(use);
  await useFactors(use);
  await createTwice(use.org);
  await useRoles(use.ask);
  await useLists(use.ask);
}
