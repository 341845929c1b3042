import { describe, expect, test } from 'vitest';
import { newUser, signIn, signInFrom, WRONG } from '../support/authn.ts';
import { defaultPolicyPath } from '../support/policies.ts';
import type { TestOrg } from '../support/service.ts';
import { useService } from '../support/use-service.ts';
import { ATTEMPTS_TO_LOCKOUT, lockOut, userIn, userPath } from '../support/users.ts';

const { service } = useService({ isShared: false });

const ANY = { type: 'DEVICE_BASED', appliesTo: 'ANY_DEVICES' };
const UNKNOWN = { type: 'DEVICE_BASED', appliesTo: 'UNKNOWN_DEVICES' };
const read = (org: TestOrg, idOrLogin: string) => org.admin.get(`${userPath(idOrLogin)}/blocks`);

/** Creates a user who has signed in from one device and is blocked on unknown devices. */
async function withUnknownDevicesStopped(org: TestOrg) {
  const user = await newUser(org);
  expect(await signInFrom(org.anonymous, 'own', user.profile.login)).toMatchObject({ status: 200 });
  for (let time = 0; time < ATTEMPTS_TO_LOCKOUT; time += 1) {
    await signInFrom(org.anonymous, 'stranger', user.profile.login, WRONG);
  }
  return user;
}

describe('the devices of a user', () => {
  const devices = (idOrLogin: string): string => `${userPath(idOrLogin)}/devices`;

  test('there are none, by id and by login', async () => {
    const user = await newUser(service.org);
    for (const name of [user.id, user.profile.login]) {
      expect(await service.org.admin.get(devices(name))).toMatchObject({ status: 200, body: [] });
    }
  });

  test('are nothing to administrators of others, to other orgs, or of nobody', async () => {
    const [org, other] = [service.org, await service.newOrg()];
    const user = await newUser(org);
    expect(await other.admin.get(devices(user.id))).toMatchObject({ status: 404, body: { errorCode: 'E0000007' } });
    expect(await org.admin.get(devices('nobody@example.com'))).toMatchObject({ status: 404 });
    expect(await org.anonymous.get(devices(user.id))).toMatchObject({ status: 401 });
    const reporter = await org.withRoles('REPORT_ADMIN');
    const refused = { status: 403, body: { errorCode: 'E0000006' } };
    expect(await reporter.get(devices(user.id))).toMatchObject(refused);
    expect(await reporter.get(devices('me'))).toMatchObject({ status: 200, body: [] });
  });
});

describe('the blocks of a user', () => {
  test('there are none, by id and by login, until failed attempts lock', async () => {
    const org = await service.newOrg();
    const user = await newUser(org);
    for (const name of [user.id, user.profile.login]) {
      expect(await read(org, name)).toMatchObject({ status: 200, body: [] });
    }
    await signIn(org.anonymous, user.profile.login, WRONG);
    expect((await read(org, user.id)).body).toEqual([]);
    await lockOut(org.admin, user.id);
    expect((await read(org, user.id)).body).toEqual([ANY]);
    await org.admin.post(`${userPath(user.id)}/lifecycle/unlock`);
    expect((await read(org, user.id)).body).toEqual([]);
  });

  test('of unknown devices alone, where the user has known ones', async () => {
    const org = await service.newOrg();
    const user = await withUnknownDevicesStopped(org);
    expect((await read(org, user.id)).body).toEqual([UNKNOWN]);
    await lockOut(org.admin, user.id);
    expect((await read(org, user.id)).body).toEqual([ANY, UNKNOWN]);
  });

  test('who must change the password is held back all the same', async () => {
    const org = await service.newOrg();
    const user = await userIn(org, 'PASSWORD_EXPIRED');
    for (let time = 0; time < ATTEMPTS_TO_LOCKOUT; time += 1) await signIn(org.anonymous, user.profile.login, WRONG);
    expect((await read(org, user.id)).body).toEqual([ANY]);
  });

  test('one that the next sign-in lifts is none any more', async () => {
    const org = await service.newOrg();
    const policy = await defaultPolicyPath(org, 'PASSWORD');
    const { body } = await org.admin.get(policy);
    const lockout = { maxAttempts: ATTEMPTS_TO_LOCKOUT, autoUnlockMinutes: 30 };
    await org.admin.put(policy, { body: { ...body, settings: { password: { lockout } } } });
    const user = await newUser(org);
    await lockOut(org.admin, user.id);
    service.clock.advance(29 * 60_000);
    expect((await read(org, user.id)).body).toEqual([ANY]);
    service.clock.advance(2 * 60_000);
    expect((await read(org, user.id)).body).toEqual([]);
    expect(await signIn(org.anonymous, user.profile.login)).toMatchObject({ status: 200 });
  });

  test('stand in the user itself where it is read with expand=blocks', async () => {
    const org = await service.newOrg();
    const user = await newUser(org);
    const expanded = async () => (await org.admin.get(`${userPath(user.id)}?expand=classification,blocks`)).body;
    expect((await expanded())._embedded).toEqual({ blocks: [] });
    await lockOut(org.admin, user.id);
    expect((await expanded())._embedded).toEqual({ blocks: [ANY] });
    for (const query of ['', '?expand=', '?expand=classification']) {
      expect((await org.admin.get(`${userPath(user.id)}${query}`)).body).not.toHaveProperty('_embedded');
    }
  });

  test('are nothing to administrators of others, to other orgs, or of nobody', async () => {
    const [org, other] = [await service.newOrg(), await service.newOrg()];
    const user = await newUser(org);
    expect(await read(other, user.id)).toMatchObject({ status: 404, body: { errorCode: 'E0000007' } });
    expect(await read(org, 'nobody@example.com')).toMatchObject({ status: 404 });
    const reporter = await org.withRoles('REPORT_ADMIN');
    expect(await reporter.get(`${userPath(user.id)}/blocks`)).toMatchObject({
      status: 403,
      body: { errorCode: 'E0000006' },
    });
    expect(await reporter.get(`${userPath('me')}/blocks`)).toMatchObject({ status: 200, body: [] });
  });
});
