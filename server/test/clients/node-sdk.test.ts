import { describe, expect, it } from 'vitest';
import { beforeTests } from '../support/before-tests.ts';
import { newLogin, newProfile, startTestService, type TestService } from '../support/service.ts';
import { useService } from '../support/use-service.ts';
import { type NodeSdk, startNodeSdk } from './node-sdk.ts';

const orgUrlOf = (service: TestService): string => `https://localhost:${service.port}`;

const connect = (service: TestService): Promise<NodeSdk> =>
  startNodeSdk({ orgUrl: orgUrlOf(service), token: service.org.adminToken, caFile: service.caFile });

const { service } = useService({ namespace: 'okta' });
const sdk = beforeTests(() => connect(service));

const createUser = async (profile: Record<string, unknown> = {}, activate = true) =>
  sdk.call('userApi.createUser', {
    body: { profile: newProfile(profile), credentials: { password: { value: 'Correct-1-Horse' } } },
    activate,
  });

describe('users', () => {
  it('creates a user and reads it by id and by login', async () => {
    const created = await createUser({ firstName: 'Grace' });
    expect(created).toMatchObject({ status: 'ACTIVE', profile: { firstName: 'Grace' } });
    expect(created._links.self.href).toBe(`${orgUrlOf(service)}/api/v1/users/${created.id}`);
    expect(await sdk.call('userApi.getUser', { userId: created.id })).toMatchObject({ id: created.id });
    expect(await sdk.call('userApi.getUser', { userId: created.profile.login })).toMatchObject({ id: created.id });
  });

  it('merges with updateUser and replaces with replaceUser, and reads its own writes past its cache', async () => {
    const { id, profile } = await createUser({ nickName: 'first' });
    const read = () => sdk.call('userApi.getUser', { userId: id });
    expect((await read()).profile.nickName).toBe('first');
    const updated = await sdk.call('userApi.updateUser', { userId: id, user: { profile: { nickName: 'second' } } });
    expect(updated.profile).toMatchObject({ nickName: 'second', firstName: profile.firstName });
    expect((await read()).profile.nickName).toBe('second');
    const { login, email } = profile;
    const replacement = { firstName: 'Grace', lastName: 'Hopper', login, email };
    const replaced = await sdk.call('userApi.replaceUser', { userId: id, user: { profile: replacement } });
    expect(replaced.profile).toMatchObject(replacement);
    expect(replaced.profile.nickName ?? null).toBeNull();
  });

  it('follows pages: limit 2 over 4 users is exactly 2 pages', async () => {
    const department = `d${newLogin()}`;
    const made = [];
    for (let count = 0; count < 4; count += 1) made.push((await createUser({ department })).id);
    const before = sdk.requests().length;
    const search = `profile.department eq "${department}"`;
    const found = await sdk.collect('userApi.listUsers', { search, limit: 2 });
    expect(new Set(found.map((user) => user.id))).toEqual(new Set(made));
    expect(found).toHaveLength(4);
    const pages = sdk.requests().slice(before);
    expect(pages).toHaveLength(2);
    expect(pages[1]?.url).toMatch(new RegExp(`^${orgUrlOf(service)}/api/v1/users\\?.*after=`));
  });

  it('finds by q, filter and search what was written a moment ago', async () => {
    const { id, profile } = await createUser({ lastName: `Zuse${newLogin().slice(0, 8)}` });
    const ids = async (argument: object) => (await sdk.collect('userApi.listUsers', argument)).map((user) => user.id);
    expect(await ids({ q: profile.lastName })).toEqual([id]);
    expect(await ids({ filter: `profile.login eq "${profile.login}"` })).toEqual([id]);
    expect(await ids({ search: `profile.lastName sw "${profile.lastName}" and status eq "ACTIVE"` })).toEqual([id]);
  });

  it('suspends, unsuspends, deactivates and deletes', async () => {
    const { id } = await createUser();
    const status = async () => (await sdk.call('userApi.getUser', { userId: id })).status;
    await sdk.call('userApi.suspendUser', { userId: id });
    expect(await status()).toBe('SUSPENDED');
    await sdk.call('userApi.unsuspendUser', { userId: id });
    expect(await status()).toBe('ACTIVE');
    await sdk.call('userApi.deactivateUser', { userId: id });
    expect(await status()).toBe('DEPROVISIONED');
    await sdk.call('userApi.deleteUser', { userId: id });
    const gone = await sdk.refusal('userApi.getUser', { userId: id });
    expect(gone).toMatchObject({ name: 'OktaApiError', status: 404, errorCode: 'E0000007' });
  });

  it('activates and reactivates with a token in the answer', async () => {
    const profile = newProfile();
    const { id } = await sdk.call('userApi.createUser', { body: { profile }, activate: false });
    const activated = await sdk.call('userApi.activateUser', { userId: id, sendEmail: false });
    expect(activated).toMatchObject({ activationToken: expect.any(String), activationUrl: expect.any(String) });
    const again = await sdk.call('userApi.reactivateUser', { userId: id, sendEmail: false });
    expect(again.activationToken).not.toBe(activated.activationToken);
  });

  it('changes, expires and resets credentials', async () => {
    const { id } = await createUser();
    const changePasswordRequest = {
      oldPassword: { value: 'Correct-1-Horse' },
      newPassword: { value: 'Correct-2-Horse' },
    };
    const changed = await sdk.call('userApi.changePassword', { userId: id, changePasswordRequest });
    expect(changed).toMatchObject({ password: {}, provider: { type: 'OKTA' } });
    const repeated = await sdk.refusal('userApi.changePassword', { userId: id, changePasswordRequest });
    expect(repeated).toMatchObject({ status: 403, errorCode: 'E0000014' });
    const userCredentials = {
      password: { value: 'Correct-2-Horse' },
      recovery_question: { question: 'Which horse?', answer: 'The battery one' },
    };
    const asked = await sdk.call('userApi.changeRecoveryQuestion', { userId: id, userCredentials });
    expect(asked.recovery_question.question).toBe('Which horse?');
    const forgotten = await sdk.call('userApi.forgotPassword', { userId: id, sendEmail: false });
    expect(forgotten.resetPasswordUrl).toContain(orgUrlOf(service));
    const reset = await sdk.call('userApi.generateResetPasswordToken', { userId: id, sendEmail: false });
    expect(reset.resetPasswordUrl).toContain(orgUrlOf(service));
  });

  it('expires a password, and gives a temporary one', async () => {
    const first = await createUser();
    const expired = await sdk.call('userApi.expirePassword', { userId: first.id });
    expect(expired.status).toBe('PASSWORD_EXPIRED');
    const second = await createUser();
    // The SDK reads the response as a user, so its result does not contain the temporary password.
    await sdk.call('userApi.expirePasswordAndGetTemporaryPassword', { userId: second.id });
    expect((await sdk.call('userApi.getUser', { userId: second.id })).status).toBe('PASSWORD_EXPIRED');
  });

  it('makes its own error class of a refusal, with code and causes', async () => {
    const { profile } = await createUser();
    const refused = await sdk.refusal('userApi.createUser', {
      body: { profile: newProfile({ login: profile.login }) },
    });
    expect(refused).toMatchObject({ name: 'OktaApiError', status: 400, errorCode: 'E0000001' });
    expect(refused.errorCauses).toHaveLength(1);
  });
});

describe('what is around users', () => {
  it('assigns, lists and takes away a role', async () => {
    const { id } = await createUser();
    const assignRoleRequest = { type: 'USER_ADMIN' };
    const assigned = await sdk.call('roleAssignmentApi.assignRoleToUser', { userId: id, assignRoleRequest });
    expect(assigned).toMatchObject({ type: 'USER_ADMIN', status: 'ACTIVE' });
    const roles = () => sdk.collect('roleAssignmentApi.listAssignedRolesForUser', { userId: id });
    expect((await roles()).map((role) => role.id)).toEqual([assigned.id]);
    await sdk.call('roleAssignmentApi.unassignRoleFromUser', { userId: id, roleId: assigned.id });
    expect(await roles()).toEqual([]);
  });

  it('reads the default user schema and the type that a user points to', async () => {
    const schema = await sdk.call('schemaApi.getUserSchema', { schemaId: 'default' });
    expect(schema.definitions.base.properties.login).toMatchObject({ type: 'string' });
    const { type } = await createUser();
    expect(await sdk.call('userTypeApi.getUserType', { typeId: type.id })).toMatchObject({ id: type.id });
  });

  it('manages trusted origins from creation to deletion', async () => {
    const trustedOrigin = { name: 'Shop', origin: 'https://shop.example.com', scopes: [{ type: 'CORS' }] };
    const { id } = await sdk.call('trustedOriginApi.createTrustedOrigin', { trustedOrigin });
    const at = { trustedOriginId: id };
    expect((await sdk.collect('trustedOriginApi.listTrustedOrigins')).map((one) => one.id)).toContain(id);
    const renamed = { ...trustedOrigin, name: 'Store' };
    const replaced = await sdk.call('trustedOriginApi.replaceTrustedOrigin', { ...at, trustedOrigin: renamed });
    expect(replaced.name).toBe('Store');
    expect(await sdk.call('trustedOriginApi.deactivateTrustedOrigin', at)).toMatchObject({ status: 'INACTIVE' });
    expect(await sdk.call('trustedOriginApi.activateTrustedOrigin', at)).toMatchObject({ status: 'ACTIVE' });
    await sdk.call('trustedOriginApi.deactivateTrustedOrigin', at);
    await sdk.call('trustedOriginApi.deleteTrustedOrigin', at);
    expect(await sdk.refusal('trustedOriginApi.getTrustedOrigin', at)).toMatchObject({ status: 404 });
  });

  it('reads and updates the org, and its well-known document', async () => {
    const org = await sdk.call('orgSettingApi.getOrgSettings');
    expect(org).toMatchObject({ id: service.org.id, subdomain: service.org.subdomain });
    const change = { companyName: 'Analytical Engines' };
    expect(await sdk.call('orgSettingApi.updateOrgSettings', { OrgSetting: change })).toMatchObject(change);
    const known = await sdk.call('orgSettingApi.getWellknownOrgMetadata');
    expect(known).toMatchObject({ id: service.org.id, pipeline: expect.stringMatching(/^(v1|idx)$/) });
  });

  it('lists API tokens without their values', async () => {
    const tokens = await sdk.collect('apiTokenApi.listApiTokens');
    expect(tokens.length).toBeGreaterThan(0);
    expect(JSON.stringify(tokens)).not.toContain(service.org.adminToken);
  });
});

describe('the System Log', () => {
  it('reads events as its own model', async () => {
    const { id } = await createUser();
    await service.drained();
    const filter = `eventType eq "user.lifecycle.create" and target.id eq "${id}"`;
    const until = new Date(service.clock.now().getTime() + 60_000).toISOString();
    const events = await sdk.collect('systemLogApi.listLogEvents', { filter, until });
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({ outcome: { result: 'SUCCESS' }, actor: { id: service.org.adminUserId } });
  });

  it('subscribes: gets what is there, waits, gets what comes, and each event once', async () => {
    const since = new Date(service.clock.now().getTime() - 1_000).toISOString();
    const first = await createUser();
    await service.drained();
    const argument = { since, filter: 'eventType eq "user.lifecycle.create"' };
    await sdk.subscribe('systemLogApi.listLogEvents', argument);
    const isCreationOf = (id: string) => (report: { item: unknown }) =>
      JSON.stringify(report.item).includes(`"id":"${id}"`);
    await sdk.until('item', isCreationOf(first.id));
    const second = await createUser();
    await service.drained();
    const polls = () => sdk.requests().filter(({ url }) => url.includes('/api/v1/logs?')).length;
    // A poll may still be running when a tick comes, so another tick may be needed.
    for (let looks = polls(); !sdk.reports.some((one) => one.kind === 'item' && isCreationOf(second.id)(one)); ) {
      await sdk.tick(5_000);
      await sdk.until('request', () => polls() > looks);
      looks = polls();
      await sdk.call('userApi.getUser', { userId: second.id });
    }
    const uuids = sdk.reports.flatMap((one) => (one.kind === 'item' ? [(one.item as { uuid: string }).uuid] : []));
    expect(new Set(uuids).size).toBe(uuids.length);
    expect(sdk.reports.filter((one) => one.kind === 'subscriptionError')).toEqual([]);
  });
});

describe('a rate limit', () => {
  it('is waited out by the SDK as X-Rate-Limit-Reset and Date tell it, and the call succeeds', async () => {
    const limited = await startTestService({ namespace: 'okta', rateLimitPerMinute: 3 });
    const hurried = await connect(limited);
    try {
      const read = () => hurried.collect('userApi.listUsers', { limit: 1, filter: 'status eq "SUSPENDED"' });
      for (let count = 0; count < 3; count += 1) await read();
      const waiting = read();
      const { milliseconds, requestId } = await hurried.until('backoff');
      expect(milliseconds).toBeGreaterThan(0);
      expect(milliseconds).toBeLessThanOrEqual(61_000);
      limited.clock.advance(milliseconds);
      await hurried.tick(milliseconds);
      expect(await waiting).toEqual([]);
      const retried = hurried.requests().at(-1);
      expect(retried?.headers).toMatchObject({ 'X-Okta-Retry-For': requestId, 'X-Okta-Retry-Count': 1 });
    } finally {
      await hurried.close();
      await limited.close();
    }
  });
});

describe('a credential that does not hold', () => {
  it('is a 401 that the SDK understands', async () => {
    const stranger = await startNodeSdk({
      orgUrl: orgUrlOf(service),
      token: '00unknown',
      caFile: service.caFile,
    });
    try {
      const refused = await stranger.refusal('userApi.getUser', { userId: 'me' });
      expect(refused).toMatchObject({ name: 'OktaApiError', status: 401, errorCode: 'E0000011' });
    } finally {
      await stranger.close();
    }
  });
});
