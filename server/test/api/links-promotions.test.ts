import { beforeEach, describe, expect, test } from 'vitest';
import { heldRoles } from '../../src/access/index.ts';
import { AUTHN, handOut, INVALID_TOKEN, mailTo, step } from '../support/authn.ts';
import type { TestClient, TestResponse } from '../support/client.ts';
import { addMember, createGroup } from '../support/groups.ts';
import { assign, bindRole, IAM_ROLES, RESOURCE_SETS, withTargets } from '../support/roles.ts';
import { withScopes } from '../support/service-clients.ts';
import { exchange, signedIn } from '../support/session-tokens.ts';
import { useService } from '../support/use-service.ts';
import { ANOTHER_PASSWORD, CREDENTIALS, lockOut, PASSWORD, QUESTION, userPath } from '../support/users.ts';

// A link or token is void once its user has gained rights. A link is also void once its maker may no longer make it
// (ADR 0049).

type Body = TestResponse['body'];

const { service, org } = useService({ isShared: false });
// Each use of a void link counts as a wrong guess. Together, these tests exceed the limit for one IP address, so each
// test starts in a new window.
beforeEach(() => service.clock.advance(61 * 60_000));

const done = async (response: Promise<TestResponse>): Promise<Body> => {
  const { body, status, text } = await response;
  if (status >= 300) throw new Error(`it was refused: ${status} ${text}`);
  return body;
};
const addressOf = (path: string, id: string): string => `${org.baseUrl}/api/v1/${path}/${id}`;
const untilMailed = async (user: Body, count: number): Promise<Awaited<ReturnType<typeof mailTo>>> => {
  await expect.poll(async () => (await mailTo(service, org, user)).count).toBe(count);
  return mailTo(service, org, user);
};

async function knowsRoles({ id }: Body): Promise<boolean> {
  const text = `select t.held_roles = ${heldRoles('t.user_id')} as knows from user_recovery_tokens t
    where t.org_id = $1 and t.user_id = $2`;
  return (await service.database.pool.query(text, [org.id, id])).rows[0]?.knows === true;
}

/** A kind of link or token that gives access to an account. */
interface Kind {
  readonly make: (maker: TestClient) => Promise<{ readonly user: Body; readonly use: () => Promise<TestResponse> }>;
}

const redeem = (recoveryToken: string) => step(org.anonymous, '/recovery/token', { recoveryToken });
const activate = (token: string) => org.anonymous.post(AUTHN, { body: { token } });
const newUser = () => org.createUser({ credentials: CREDENTIALS });
const pathOf = ({ id }: Body): string => userPath(id);

async function handed(maker: TestClient, user: Body, operation: string) {
  const answer = await done(maker.post(`${pathOf(user)}/${operation}?sendEmail=false`));
  const { activationToken, resetPasswordUrl } = answer;
  const use = () => (activationToken === undefined ? redeem(resetPasswordUrl.slice(-20)) : activate(activationToken));
  return { user, use };
}
async function mailed(user: Body) {
  const { kind, token } = await mailTo(service, org, user);
  return { user, use: () => (kind === 'activation' ? activate(token) : redeem(token)) };
}
async function underWay() {
  const user = await org.createUser({ credentials: { password: { value: PASSWORD } } });
  const { stateToken, status } = (await redeem(await handOut(org, 'password', user))).body;
  return { user, stateToken, status };
}

const KINDS: Readonly<Record<string, Kind>> = {
  'a mailed activation': { make: async () => mailed(await org.createUser()) },
  'a handed activation': {
    make: async (maker) => handed(maker, await org.createUser({ query: '?activate=false' }), 'lifecycle/activate'),
  },
  'a handed reset': { make: async (maker) => handed(maker, await newUser(), 'lifecycle/reset_password') },
  'a handed recovery': { make: async (maker) => handed(maker, await newUser(), 'credentials/forgot_password') },
  'a mailed recovery': {
    make: async () => {
      const user = await newUser();
      await step(org.anonymous, '/recovery/password', { username: user.profile.login, factorType: 'EMAIL' });
      return mailed(user);
    },
  },
  'a handed unlock': {
    make: async () => {
      const user = await newUser();
      await lockOut(org.admin, user.id);
      const recoveryToken = await handOut(org, 'unlock', user);
      return { user, use: () => redeem(recoveryToken) };
    },
  },
  'a recovery under way': {
    make: async () => {
      const { stateToken, user } = await underWay();
      const body = { stateToken, newPassword: ANOTHER_PASSWORD };
      return { user, use: () => step(org.anonymous, '/credentials/reset_password', body) };
    },
  },
  'a question that is asked': {
    make: async () => {
      const user = await newUser();
      const { stateToken } = (await redeem(await handOut(org, 'password', user))).body;
      return { user, use: () => step(org.anonymous, '/recovery/answer', { stateToken, answer: QUESTION.answer }) };
    },
  },
  'a sign-in under way': {
    make: async () => {
      const user = await newUser();
      await done(org.admin.post(`${pathOf(user)}/lifecycle/expire_password`));
      const body = { username: user.profile.login, password: PASSWORD };
      const { stateToken } = (await org.anonymous.post(AUTHN, { body })).body;
      const change = { stateToken, oldPassword: PASSWORD, newPassword: ANOTHER_PASSWORD };
      return { user, use: () => step(org.anonymous, '/credentials/change_password', change) };
    },
  },
  'a session token': {
    make: async () => {
      const user = await newUser();
      const { sessionToken } = await signedIn(service, org, user.id);
      return { user, use: () => exchange(org.anonymous, sessionToken) };
    },
  },
};

/** A way to gain rights. It returns a function that gives the rights. */
type Way = (user: Body) => Promise<() => Promise<unknown>>;

const WAYS: Readonly<Record<string, Way>> = {
  'a role': async (user) => () => assign(org, pathOf(user), 'SUPER_ADMIN'),
  'a role of a group': async (user) => {
    const { id } = await createGroup(org);
    await addMember(org, id, user.id);
    return () => assign(org, `/api/v1/groups/${id}`, 'ORG_ADMIN');
  },
  'a membership': async (user) => {
    const { id } = await createGroup(org);
    await assign(org, `/api/v1/groups/${id}`, 'HELP_DESK_ADMIN');
    return () => addMember(org, id, user.id);
  },
  'a binding': async (user) => () =>
    bindRole(org, { permissions: ['users.manage'], members: [addressOf('users', user.id)] }),
  'a binding of a group': async (user) => {
    const { id } = await createGroup(org);
    await addMember(org, id, user.id);
    return () => bindRole(org, { permissions: ['users.manage'], members: [addressOf('groups', id)] });
  },
  'a permission of a custom role': async (user) => {
    const { roleIdOrLabel } = await bindRole(org, { members: [addressOf('users', user.id)] });
    return () => done(org.admin.post(`${IAM_ROLES}/${roleIdOrLabel}/permissions/svc.users.manage`));
  },
  'resources of a set': async (user) => {
    const members = [addressOf('users', user.id)];
    const { resourceSetIdOrLabel } = await bindRole(org, { members, permissions: ['users.read', 'groups.read'] });
    const additions = [`${org.baseUrl}/api/v1/groups`];
    return () =>
      done(org.admin.send('PATCH', `${RESOURCE_SETS}/${resourceSetIdOrLabel}/resources`, { body: { additions } }));
  },
  'a wider target': async (user) => {
    const [one, other] = [await createGroup(org), await createGroup(org)];
    const { id } = await assign(org, pathOf(user), 'HELP_DESK_ADMIN');
    const targets = `${pathOf(user)}/roles/${id}/targets/groups`;
    await done(org.admin.put(`${targets}/${one.id}`));
    return () => done(org.admin.put(`${targets}/${other.id}`));
  },
};

describe.each(Object.entries(KINDS))('%s', (kind, { make }) => {
  test('is good for a user who gained nothing, and once where it is no link', async () => {
    const { use } = await make(org.admin);
    expect((await use()).status).toBe(200);
    expect(/^a (?:mailed|handed) /.test(kind) ? [200] : [401, 403]).toContain((await use()).status);
  });

  test.each(Object.entries(WAYS))('is void behind %s', async (_way, prepare) => {
    const { user, use } = await make(org.admin);
    const gain = await prepare(user);
    await gain();
    expect(await use()).toMatchObject({ status: 401 });
  });

  test('is good for a user who lost a role', async () => {
    const { user, use } = await make(org.admin);
    const { id } = await assign(org, pathOf(user), 'HELP_DESK_ADMIN');
    await done(org.admin.del(`${pathOf(user)}/roles/${id}`));
    if ((await use()).status === 200) return;
    // The job that sends new administrators a fresh link was faster than the removal of the role.
    expect(kind).toMatch(/^a mailed /);
    expect((await (await mailed(user)).use()).status).toBe(200);
  });
});

describe('who had some rights already', () => {
  const waysOfMore = ['a permission of a custom role', 'resources of a set', 'a wider target'];

  test.each(waysOfMore)('a link is good for them, and void behind %s', async (way) => {
    const user = await newUser();
    const gain = await WAYS[way]?.(user);
    const good = await handed(org.admin, user, 'credentials/forgot_password');
    expect((await good.use()).status).toBe(200);
    const { use } = await handed(org.admin, user, 'credentials/forgot_password');
    await gain?.();
    expect(await use()).toMatchObject(INVALID_TOKEN);
  });

  test('a link is good behind what they held before', async () => {
    const user = await newUser();
    await assign(org, pathOf(user), 'ORG_ADMIN');
    const { use } = await handed(org.admin, user, 'credentials/forgot_password');
    await assign(org, pathOf(user), 'READ_ONLY_ADMIN');
    expect((await use()).status).toBe(200);
  });
});

describe('a new administrator is sent another link', () => {
  test.each(Object.keys(WAYS))('where the activation was mailed, behind %s', async (way) => {
    const user = await org.createUser();
    const first = await mailTo(service, org, user);
    const gain = await WAYS[way]?.(user);
    await gain?.();
    // A way with two steps may renew the link twice, so the test waits for the last renewal.
    await expect.poll(() => knowsRoles(user)).toBe(true);
    const { kind, token } = await mailTo(service, org, user);
    expect([kind, token === first.token]).toEqual(['activation', false]);
    expect((await activate(token)).status).toBe(200);
    expect(await activate(first.token)).toMatchObject(INVALID_TOKEN);
  });

  test('where a recovery was asked for, and not where a link was handed out', async () => {
    const user = await newUser();
    await step(org.anonymous, '/recovery/password', { username: user.profile.login, factorType: 'EMAIL' });
    const other = await newUser();
    await handed(org.admin, other, 'lifecycle/reset_password');
    for (const one of [other, user]) await assign(org, pathOf(one), 'SUPER_ADMIN');
    const { kind, token, url } = await untilMailed(user, 2);
    expect([kind, url.startsWith(`https://localhost:${service.port}/`)]).toEqual(['passwordReset', true]);
    expect((await redeem(token)).body.status).toBe('RECOVERY');
    expect((await mailTo(service, org, other)).count).toBe(0);
  });
});

describe('the maker of a link is asked again', () => {
  const takeRole = async (maker: { readonly userId: string }) => {
    const [role] = (await org.admin.get(`${userPath(maker.userId)}/roles`)).body;
    await done(org.admin.del(`${userPath(maker.userId)}/roles/${role.id}`));
  };
  const ENDS: Readonly<Record<string, (maker: { readonly userId: string }) => Promise<unknown>>> = {
    'who lost the role': takeRole,
    'who is suspended': ({ userId }) => done(org.admin.post(`${userPath(userId)}/lifecycle/suspend`)),
    'who is gone': async ({ userId }) => {
      await done(org.admin.post(`${userPath(userId)}/lifecycle/deactivate`));
      await done(org.admin.del(userPath(userId)));
    },
  };

  test.each(Object.entries(ENDS))('a maker %s', async (_name, end) => {
    const maker = await org.withRoles('HELP_DESK_ADMIN');
    const [handedOut, sent] = [await handed(maker, await newUser(), 'lifecycle/reset_password'), await newUser()];
    await done(maker.post(`${pathOf(sent)}/lifecycle/reset_password`));
    const { token } = await mailTo(service, org, sent);
    await end(maker);
    expect(await handedOut.use()).toMatchObject(INVALID_TOKEN);
    expect(await redeem(token)).toMatchObject(INVALID_TOKEN);
  });

  test('a maker whose role was narrowed to others', async () => {
    const group = await createGroup(org);
    const maker = await withTargets(org, 'HELP_DESK_ADMIN', { groups: [group.id] });
    const user = await newUser();
    await addMember(org, group.id, user.id);
    const { use } = await handed(maker, user, 'lifecycle/reset_password');
    await done(org.admin.del(`/api/v1/groups/${group.id}/users/${user.id}`));
    expect(await use()).toMatchObject(INVALID_TOKEN);
  });

  test('a service app that lost its role', async () => {
    const app = await withScopes(service, org, ['users.manage'], ['HELP_DESK_ADMIN'], { clientId: 'Helper.of-links' });
    const [first, second] = [await newUser(), await newUser()];
    const good = await handed(app, first, 'lifecycle/reset_password');
    expect((await good.use()).status).toBe(200);
    const { use } = await handed(app, second, 'lifecycle/reset_password');
    await service.database.pool.query('delete from client_role_assignments where org_id = $1', [org.id]);
    expect(await use()).toMatchObject(INVALID_TOKEN);
  });

  test('also of a recovery under way', async () => {
    const maker = await org.withRoles('HELP_DESK_ADMIN');
    const user = await org.createUser({ credentials: { password: { value: PASSWORD } } });
    const { use } = await handed(maker, user, 'lifecycle/reset_password');
    const { stateToken } = (await use()).body;
    await takeRole(maker);
    const body = { stateToken, newPassword: ANOTHER_PASSWORD };
    expect(await step(org.anonymous, '/credentials/reset_password', body)).toMatchObject(INVALID_TOKEN);
  });

  test('a link of an older version has none, and is void', async () => {
    const { use, user } = await handed(org.admin, await newUser(), 'lifecycle/reset_password');
    const columns = 'maker = null, held_roles = null, mailed_to = null';
    await service.database.pool.query(`update user_recovery_tokens set ${columns} where user_id = $1`, [user.id]);
    expect(await use()).toMatchObject(INVALID_TOKEN);
  });
});
