import { describe, expect, test } from 'vitest';
import { userLifecycle } from '../../src/management/users/index.ts';
import { mailTo } from '../support/authn.ts';
import type { TestResponse } from '../support/client.ts';
import { withScopes } from '../support/service-clients.ts';
import { useService } from '../support/use-service.ts';
import {
  ANOTHER_PASSWORD,
  CREDENTIALS,
  changePassword,
  eventsOf,
  newProfile,
  PASSWORD,
  QUESTION,
  USER_STATUSES,
  type UserStatus,
  userIn,
  userPath,
} from '../support/users.ts';

const { service, org } = useService();

type Next = Readonly<Partial<Record<UserStatus, UserStatus | 'gone'>>>;
interface Operation {
  readonly action: keyof typeof userLifecycle.table;
  readonly path: string;
  readonly method?: 'POST' | 'DELETE';
  readonly body?: unknown;
  /** The next status for each status that allows the operation. */
  readonly next: Next;
  readonly refusal: readonly [status: number, errorCode: string];
  readonly events: Readonly<Partial<Record<UserStatus | 'all', readonly string[]>>>;
  /** The link relation that publishes the operation. */
  readonly link?: string;
}

const to = (status: UserStatus, ...from: readonly UserStatus[]): Next =>
  Object.fromEntries(from.map((name) => [name, status]));
const unchanged = (...from: readonly UserStatus[]): Next => Object.fromEntries(from.map((name) => [name, name]));
const LIVE = USER_STATUSES.filter((status) => status !== 'DEPROVISIONED');
const change = { oldPassword: { value: PASSWORD }, newPassword: { value: ANOTHER_PASSWORD } };
const proof = { password: { value: PASSWORD }, recovery_question: QUESTION };

// This table repeats the pinned contract, so a change to the table in lifecycle.ts makes these tests fail.
// biome-ignore format: the columns are the documentation
const OPERATIONS: readonly Operation[] = [
  { action: 'activate', path: '/lifecycle/activate', next: { STAGED: 'ACTIVE', DEPROVISIONED: 'PROVISIONED' },
    refusal: [403, 'E0000016'], events: { all: ['user.lifecycle.activate'] }, link: 'activate' },
  { action: 'reactivate', path: '/lifecycle/reactivate', next: unchanged('PROVISIONED', 'RECOVERY'),
    refusal: [403, 'E0000038'], events: { all: ['user.lifecycle.reactivate'] }, link: 'reactivate' },
  { action: 'deactivate', path: '/lifecycle/deactivate', next: to('DEPROVISIONED', ...LIVE),
    refusal: [403, 'E0000038'], events: { all: ['user.lifecycle.deactivate'] }, link: 'deactivate' },
  { action: 'suspend', path: '/lifecycle/suspend',
    next: to('SUSPENDED', 'PROVISIONED', 'ACTIVE', 'RECOVERY', 'LOCKED_OUT', 'PASSWORD_EXPIRED'),
    refusal: [400, 'E0000001'], events: { all: ['user.lifecycle.suspend'] }, link: 'suspend' },
  { action: 'unsuspend', path: '/lifecycle/unsuspend', next: { SUSPENDED: 'ACTIVE' },
    refusal: [400, 'E0000001'], events: { all: ['user.lifecycle.unsuspend'] }, link: 'unsuspend' },
  { action: 'unlock', path: '/lifecycle/unlock', next: { LOCKED_OUT: 'ACTIVE' },
    refusal: [403, 'E0000032'], events: { all: ['user.account.unlock_by_admin'] }, link: 'unlock' },
  { action: 'resetPassword', path: '/lifecycle/reset_password',
    next: to('RECOVERY', 'ACTIVE', 'PROVISIONED', 'RECOVERY', 'LOCKED_OUT', 'PASSWORD_EXPIRED'),
    refusal: [403, 'E0000038'], events: { all: ['user.account.reset_password'] }, link: 'resetPassword' },
  { action: 'resetPasswordFederation', path: '/lifecycle/reset_password?provider=FEDERATION',
    next: unchanged('ACTIVE', 'STAGED'),
    refusal: [403, 'E0000038'], events: { all: ['user.account.reset_password'] } },
  { action: 'expirePassword', path: '/lifecycle/expire_password',
    next: to('PASSWORD_EXPIRED', 'ACTIVE', 'PASSWORD_EXPIRED'),
    refusal: [403, 'E0000038'], events: { all: ['user.account.expire_password'] }, link: 'expirePassword' },
  { action: 'expirePasswordWithTempPassword', path: '/lifecycle/expire_password_with_temp_password',
    next: to('PASSWORD_EXPIRED', 'ACTIVE', 'PASSWORD_EXPIRED'),
    refusal: [403, 'E0000038'], events: { all: ['user.account.expire_password'] } },
  { action: 'expirePasswordWithTempPassword', path: '/lifecycle/expire_password?tempPassword=true',
    next: to('PASSWORD_EXPIRED', 'ACTIVE', 'PASSWORD_EXPIRED'),
    refusal: [403, 'E0000038'], events: { all: ['user.account.expire_password'] } },
  { action: 'forgotPassword', path: '/credentials/forgot_password', next: unchanged('ACTIVE'),
    refusal: [403, 'E0000034'], events: { all: ['user.account.reset_password'] }, link: 'forgotPassword' },
  { action: 'changePassword', path: '/credentials/change_password', body: change,
    next: { ...to('ACTIVE', 'ACTIVE', 'PASSWORD_EXPIRED', 'RECOVERY'), STAGED: 'STAGED' },
    refusal: [403, 'E0000035'], events: { all: ['user.account.update_password'] }, link: 'changePassword' },
  { action: 'changeRecoveryQuestion', path: '/credentials/change_recovery_question', body: proof,
    next: unchanged('STAGED', 'ACTIVE', 'RECOVERY'),
    refusal: [403, 'E0000036'], events: { all: ['user.account.update_profile'] }, link: 'changeRecoveryQuestion' },
  { action: 'adminSetPassword', path: '', body: { credentials: { password: { value: ANOTHER_PASSWORD } } },
    next: { ...to('ACTIVE', 'ACTIVE', 'PROVISIONED', 'RECOVERY', 'PASSWORD_EXPIRED'), STAGED: 'STAGED' },
    refusal: [403, 'E0000038'], events: { all: ['user.account.update_password'] } },
  { action: 'delete', path: '', method: 'DELETE', next: { ...to('DEPROVISIONED', ...LIVE), DEPROVISIONED: 'gone' },
    refusal: [403, 'E0000038'], link: 'delete', events: {
      all: ['user.lifecycle.deactivate'],
      DEPROVISIONED: ['user.lifecycle.delete.initiated', 'user.lifecycle.delete.completed'] } },
];

/** Operations that are allowed but not published as links. */
const UNPUBLISHED: Readonly<Partial<Record<UserStatus, readonly string[]>>> = {
  STAGED: ['deactivate', 'changePassword', 'changeRecoveryQuestion'],
};

const send = (id: string, { body, method = 'POST', path }: Operation): Promise<TestResponse> =>
  org.admin.send(method, `${userPath(id)}${path}`, body === undefined ? {} : { body });

describe.each(USER_STATUSES)('%s', (status) => {
  test.each(
    OPERATIONS.map((operation) => ({ ...operation, name: `${operation.method ?? 'POST'} …${operation.path}` })),
  )('$name', async (operation) => {
    const user = await userIn(org, status);
    const before = await org.admin.get(userPath(user.id));
    const answer = await send(user.id, operation);
    const after = await org.admin.get(userPath(user.id));
    const events = await eventsOf(org, answer);
    const next = operation.next[status];
    if (next === undefined) {
      const [code, errorCode] = operation.refusal;
      expect(answer).toMatchObject({ status: code, body: { errorCode } });
      expect(after.body).toEqual(before.body);
      expect(after.headers['etag']).toBe(before.headers['etag']);
      expect(events).toEqual([]);
      return;
    }
    expect(answer.status).toBe(operation.method === 'DELETE' ? 204 : 200);
    if (next === 'gone') expect(after.status).toBe(404);
    else expect(after.body.status).toBe(next);
    expect(events.map(({ eventType }) => eventType)).toEqual(operation.events[status] ?? operation.events.all);
    for (const event of events) expect(event).toMatchObject({ target: [{ id: user.id, displayName: 'Ada Lovelace' }] });
  });

  test('publishes the operations that it permits, and no other', async () => {
    const user = await userIn(org, status);
    const held = (relation: string): boolean =>
      !['DEPROVISIONED', 'PROVISIONED'].includes(status) ||
      !/Password$|Question$/.test(relation) ||
      relation === 'resetPassword';
    const permitted = OPERATIONS.flatMap(({ link, next }) => {
      if (link === undefined || next[status] === undefined || !held(link)) return [];
      return link === 'delete' && next[status] !== 'gone' ? [] : [link];
    });
    const unpublished = UNPUBLISHED[status] ?? [];
    const expected = [...permitted.filter((relation) => !unpublished.includes(relation)), 'self', 'schema', 'type'];
    expect(Object.keys(user._links).toSorted()).toEqual(expected.toSorted());
    for (const [relation, { href, method }] of Object.entries<{ href: string; method?: string }>(user._links)) {
      if (['self', 'schema', 'type'].includes(relation)) continue;
      const operation = OPERATIONS.find(({ link }) => link === relation);
      expect(href).toBe(`${org.baseUrl}${userPath(user.id)}${operation?.path ?? ''}`);
      expect(method).toBe(operation?.method ?? 'POST');
    }
  });

  test('is what the lifecycle table says', () => {
    for (const { action, next } of OPERATIONS.filter((operation) => operation.method !== 'DELETE')) {
      expect(userLifecycle.allows(status, action)).toBe(next[status] !== undefined);
    }
  });
});

describe('suspension', () => {
  test.each(['PROVISIONED', 'ACTIVE', 'RECOVERY', 'LOCKED_OUT', 'PASSWORD_EXPIRED'] as const)(
    'comes back to %s',
    async (status) => {
      const user = await userIn(org, status);
      expect(await org.admin.post(`${userPath(user.id)}/lifecycle/suspend`)).toMatchObject({ status: 200, body: {} });
      expect(await org.admin.post(`${userPath(user.id)}/lifecycle/unsuspend`)).toMatchObject({ status: 200, body: {} });
      expect((await org.admin.get(userPath(user.id))).body).toMatchObject({ status, credentials: user.credentials });
    },
  );

  test('a refusal names the operation and the status', async () => {
    const user = await userIn(org, 'STAGED');
    expect((await org.admin.post(`${userPath(user.id)}/lifecycle/suspend`)).body).toMatchObject({
      errorSummary: 'Api validation failed: suspend',
      errorCauses: [{ errorSummary: 'Cannot suspend a user whose status is STAGED.' }],
    });
  });

  test('20 at once suspend once', async () => {
    const user = await userIn(org, 'ACTIVE');
    const path = `${userPath(user.id)}/lifecycle/suspend`;
    const answers = await Promise.all(Array.from({ length: 20 }, () => org.admin.post(path)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(19);
    expect(await org.systemLog(`target.id eq "${user.id}" and eventType eq "user.lifecycle.suspend"`)).toHaveLength(1);
  });
});

describe('deactivation and deletion', () => {
  test('credentials are wiped and do not come back with the next activation', async () => {
    const user = await userIn(org, 'ACTIVE');
    await org.admin.post(`${userPath(user.id)}/lifecycle/deactivate`);
    const { body } = await org.admin.get(userPath(user.id));
    expect(body).toMatchObject({ status: 'DEPROVISIONED', passwordChanged: null });
    expect(Object.keys(body.credentials).toSorted()).toEqual(['emails', 'provider']);
    const text = `select s.password, s.recovery_answer as answer, (select count(*)::integer from user_password_history h
      where h.org_id = s.org_id and h.user_id = s.user_id) as remembered from user_sign_in s where s.user_id = $1`;
    const { rows } = await service.database.pool.query(text, [user.id]);
    expect(rows).toEqual([{ password: null, answer: null, remembered: 0 }]);
    await org.admin.post(`${userPath(user.id)}/lifecycle/activate`);
    expect((await org.admin.get(userPath(user.id))).body.status).toBe('PROVISIONED');
    expect(await changePassword(org.admin, user.id, PASSWORD, ANOTHER_PASSWORD)).toMatchObject({ status: 403 });
  });

  test('a DEPROVISIONED user cannot be updated', async () => {
    const user = await userIn(org, 'DEPROVISIONED');
    const body = { profile: { city: 'Paris' } };
    expect(await org.admin.post(userPath(user.id), { body })).toMatchObject({
      status: 403,
      body: { errorCode: 'E0000038' },
    });
  });

  test('DELETE twice is gone, a third time 404; the login is free, the id is never used again', async () => {
    const profile = newProfile();
    const user = await org.createUser({ profile, credentials: CREDENTIALS });
    const answers = [];
    for (let time = 0; time < 3; time += 1) answers.push((await org.admin.del(userPath(user.id))).status);
    expect(answers).toEqual([204, 204, 404]);
    const left = `select (select count(*)::integer from user_attribute_values where user_id = $1) as indexed,
      (select count(*)::integer from user_sign_in where user_id = $1) as volatile,
      (select count(*)::integer from user_password_history where user_id = $1) as remembered,
      (select count(*)::integer from user_recovery_tokens where user_id = $1) as tokens`;
    const { rows } = await service.database.pool.query(left, [user.id]);
    expect(rows).toEqual([{ indexed: 0, volatile: 0, remembered: 0, tokens: 0 }]);
    const next = await org.createUser({ profile });
    expect(next.id).not.toBe(user.id);
    expect(await org.admin.get(userPath(user.id))).toMatchObject({ status: 404 });
  });
});

describe('sendEmail', () => {
  test.each([
    ['POST', '/lifecycle/deactivate'],
    ['DELETE', ''],
  ] as const)('%s %s tells the administrator who asks for it, once the user is deactivated', async (method, path) => {
    const administrator = await org.withRoles('SUPER_ADMIN');
    const told = () => mailTo(service, org, { id: administrator.userId });
    for (const query of ['', '?sendEmail=false']) {
      const quiet = await org.createUser();
      await administrator.send(method, `${userPath(quiet.id)}${path}${query}`, {});
      expect(await told()).toMatchObject({ count: 0 });
    }
    const user = await org.createUser();
    const answered = await administrator.send(method, `${userPath(user.id)}${path}?sendEmail=true`, {});
    expect([200, 204]).toContain(answered.status);
    expect(await told()).toMatchObject({
      count: 1,
      kind: 'deactivation',
      subject: expect.stringContaining('deactivated'),
      text: expect.stringContaining(user.profile.login),
    });
    // Repeating the request sends no further email.
    await administrator.send(method, `${userPath(user.id)}${path}?sendEmail=true`, {});
    expect(await told()).toMatchObject({ count: 1 });
  });

  test('of a service app tells nobody, and deactivates all the same', async () => {
    const app = await withScopes(service, org, ['users.manage'], ['SUPER_ADMIN']);
    const user = await org.createUser();
    expect(await app.post(`${userPath(user.id)}/lifecycle/deactivate?sendEmail=true`)).toMatchObject({ status: 200 });
    expect((await org.admin.get(userPath(user.id))).body.status).toBe('DEPROVISIONED');
  });
});
