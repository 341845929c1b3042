import { beforeEach, describe, expect, test } from 'vitest';
import { handOut, mailTo, signIn, step } from '../support/authn.ts';
import type { TestResponse } from '../support/client.ts';
import { createPolicy, defaultPolicyPath, invalidWith, listRules, POLICIES } from '../support/policies.ts';
import type { TestOrg } from '../support/service.ts';
import { useService } from '../support/use-service.ts';
import {
  ANOTHER_PASSWORD,
  CREDENTIALS,
  changePassword,
  lockOut,
  PASSWORD,
  QUESTION,
  userPath,
} from '../support/users.ts';

type Given = Readonly<Record<string, unknown>>;

const { service } = useService({ isShared: false });
let org: TestOrg;
let policy: string;
beforeEach(async () => {
  org = await service.newOrg();
  policy = await defaultPolicyPath(org, 'PASSWORD');
});

async function changeSettings(settings: Given): Promise<void> {
  const { body } = await org.admin.get(policy);
  const answer = await org.admin.put(policy, { body: { ...body, settings } });
  expect(answer.status, answer.text).toBe(200);
}

async function changeActions(actions: Given): Promise<void> {
  const [rule] = await listRules(org, policy);
  const answer = await org.admin.put(`${policy}/rules/${rule?.id}`, { body: { ...rule, actions } });
  expect(answer.status, answer.text).toBe(200);
}

const ALLOWED = {
  passwordChange: { access: 'ALLOW' },
  selfServicePasswordReset: { access: 'ALLOW' },
  selfServiceUnlock: { access: 'ALLOW' },
};
const DENIED = { access: 'DENY' };
const factor = (name: string, given: Given): Given => ({ recovery: { factors: { [name]: given } } });

const recover = (kind: 'password' | 'unlock', username: string, client = org.anonymous): Promise<TestResponse> =>
  step(client, `/recovery/${kind}`, { username, factorType: 'EMAIL' });
const countOfMails = async (user: TestResponse['body']): Promise<number> => (await mailTo(service, org, user)).count;
const forgot = (id: string) => org.admin.post(`${userPath(id)}/credentials/forgot_password?sendEmail=false`);
const redeem = (recoveryToken: string) => step(org.anonymous, '/recovery/token', { recoveryToken });

describe('recovery by mail', () => {
  test('a token lives as long as the policy says, and the mail says how long', async () => {
    await changeSettings(factor('svc_email', { properties: { recoveryToken: { tokenLifetimeMinutes: 10 } } }));
    const user = await org.createUser({ credentials: CREDENTIALS });
    const token = await handOut(org, 'password', user);
    service.clock.advance(11 * 60_000);
    expect(await redeem(token)).toMatchObject({ status: 401, body: { errorCode: 'E0000011' } });
    const next = await handOut(org, 'password', user);
    service.clock.advance(9 * 60_000);
    expect(await redeem(next)).toMatchObject({ status: 200, body: { status: 'RECOVERY' } });
    service.clock.advance(-20 * 60_000);
  });

  test('is neither for passwords nor for locked accounts where the policy has it inactive', async () => {
    await changeSettings(factor('svc_email', { status: 'INACTIVE' }));
    const user = await org.createUser({ credentials: CREDENTIALS });
    const { login } = user.profile;
    const before = await countOfMails(user);
    expect(await recover('password', login)).toMatchObject({ status: 200, body: { status: 'RECOVERY_CHALLENGE' } });
    expect(await recover('password', login, org.admin)).toMatchObject({ status: 403, body: { errorCode: 'E0000034' } });
    await lockOut(org.admin, user.id);
    expect(await recover('unlock', login, org.admin)).toMatchObject({ status: 403, body: { errorCode: 'E0000032' } });
    expect(await countOfMails(user)).toBe(before);
  });
});

describe('the recovery question', () => {
  test('has an answer as long as the policy says', async () => {
    await changeSettings(factor('recovery_question', { properties: { complexity: { minLength: 12 } } }));
    const short = { password: { value: PASSWORD }, recovery_question: { ...QUESTION, answer: 'elevenchars' } };
    const profile = { login: 'a@example.com', email: 'a@example.com', firstName: 'A', lastName: 'B' };
    const refused = await org.admin.post('/api/v1/users', { body: { profile, credentials: short } });
    expect(refused).toMatchObject(invalidWith('must have 12 to 100 characters'));
    const long = { ...short, recovery_question: { ...QUESTION, answer: 'twelve chars' } };
    expect(await org.admin.post('/api/v1/users', { body: { profile, credentials: long } })).toMatchObject({
      status: 200,
    });
  });

  test('is asked where it is active and set, and not where the policy or the rule says so', async () => {
    const user = await org.createUser({ credentials: CREDENTIALS });
    expect((await redeem(await handOut(org, 'password', user))).body.status).toBe('RECOVERY');
    await changeSettings(factor('recovery_question', { status: 'INACTIVE' }));
    expect((await redeem(await handOut(org, 'password', user))).body.status).toBe('PASSWORD_RESET');
    await changeSettings({});
    const stepUp = { stepUp: { required: false } };
    await changeActions({ ...ALLOWED, selfServicePasswordReset: { access: 'ALLOW', requirement: stepUp } });
    expect((await redeem(await handOut(org, 'password', user))).body.status).toBe('PASSWORD_RESET');
  });

  test('is required where the rule says so: without one there is no recovery', async () => {
    const requirement = { stepUp: { required: true, methods: ['security_question'] } };
    await changeActions({ ...ALLOWED, selfServicePasswordReset: { access: 'ALLOW', requirement } });
    const [with1, without] = [
      await org.createUser({ credentials: CREDENTIALS }),
      await org.createUser({ credentials: { password: { value: PASSWORD } } }),
    ];
    expect((await redeem(await handOut(org, 'password', with1))).body.status).toBe('RECOVERY');
    expect(await recover('password', without.profile.login, org.admin)).toMatchObject({ status: 403 });
  });
});

describe('what a rule denies', () => {
  test('the change of the own password; an expired one has to be changed all the same', async () => {
    const user = await org.createUser({ credentials: CREDENTIALS });
    const linksOf = async () => Object.keys((await org.admin.get(userPath(user.id))).body._links);
    expect(await linksOf()).toContain('changePassword');
    await changeActions({ ...ALLOWED, passwordChange: DENIED });
    const refused = { status: 403, body: { errorCode: 'E0000035' } };
    expect(await linksOf()).not.toContain('changePassword');
    expect(await linksOf()).toContain('forgotPassword');
    expect(await changePassword(org.admin, user.id, PASSWORD, ANOTHER_PASSWORD)).toMatchObject(refused);
    await changeSettings({ password: { age: { maxAgeDays: 10, expireWarnDays: 10 } } });
    const options = { body: { options: { warnBeforePasswordExpired: true } } };
    const warned = await signIn(org.anonymous, user.profile.login, PASSWORD, options);
    expect(warned.body.status).toBe('PASSWORD_WARN');
    const change = { stateToken: warned.body.stateToken, oldPassword: PASSWORD, newPassword: ANOTHER_PASSWORD };
    expect(await step(org.anonymous, '/credentials/change_password', change)).toMatchObject(refused);
    await org.admin.post(`${userPath(user.id)}/lifecycle/expire_password`);
    const { stateToken } = (await signIn(org.anonymous, user.profile.login)).body;
    const changed = await step(org.anonymous, '/credentials/change_password', { ...change, stateToken });
    expect(changed).toMatchObject({ status: 200, body: { status: 'SUCCESS' } });
  });

  test('the reset of a forgotten one: no mail, and the same answer as ever', async () => {
    const user = await org.createUser({ credentials: CREDENTIALS });
    await changeActions({ ...ALLOWED, selfServicePasswordReset: DENIED });
    const before = await countOfMails(user);
    const known = await recover('password', user.profile.login);
    expect(known.body).toEqual((await recover('password', 'nobody@example.com')).body);
    expect(await countOfMails(user)).toBe(before);
    expect(await recover('password', user.profile.login, org.admin)).toMatchObject({ status: 403 });
    expect(await forgot(user.id)).toMatchObject({ status: 403, body: { errorCode: 'E0000034' } });
    const reset = await org.admin.post(`${userPath(user.id)}/lifecycle/reset_password?sendEmail=false`);
    expect(reset).toMatchObject({ status: 200, body: { resetPasswordUrl: expect.any(String) } });
  });

  test('a reset by other means than mail, which there are none of here', async () => {
    const user = await org.createUser({ credentials: CREDENTIALS });
    const requirement = { primary: { methods: ['sms', 'push'] } };
    await changeActions({ ...ALLOWED, selfServicePasswordReset: { access: 'ALLOW', requirement } });
    expect(await recover('password', user.profile.login, org.admin)).toMatchObject({ status: 403 });
  });

  test('the unlocking of the own account', async () => {
    const user = await org.createUser({ credentials: CREDENTIALS });
    await lockOut(org.admin, user.id);
    expect(await recover('unlock', user.profile.login, org.admin)).toMatchObject({ status: 200 });
    await changeActions({ ...ALLOWED, selfServiceUnlock: DENIED });
    expect(await recover('unlock', user.profile.login, org.admin)).toMatchObject({
      status: 403,
      body: { errorCode: 'E0000032' },
    });
  });

  test('all of it from a network that no rule is for; what a password must be stays the same', async () => {
    const user = await org.createUser({ credentials: CREDENTIALS });
    const gateways = [{ type: 'CIDR', value: '192.0.2.0/24' }];
    const zone = await org.admin.post('/api/v1/zones', { body: { type: 'IP', name: 'Office', gateways } });
    const made = await createPolicy(org, {
      type: 'PASSWORD',
      settings: { password: { complexity: { minLength: 20 } } },
    });
    const network = { connection: 'ZONE', include: [zone.body.id] };
    await org.admin.post(`${POLICIES}/${made.id}/rules`, {
      body: { name: 'Office', conditions: { network }, actions: ALLOWED },
    });
    expect(await changePassword(org.admin, user.id, PASSWORD, ANOTHER_PASSWORD)).toMatchObject({ status: 403 });
    expect(await recover('password', user.profile.login, org.admin)).toMatchObject({ status: 403 });
    const set = await org.admin.post(userPath(user.id), {
      body: { credentials: { password: { value: ANOTHER_PASSWORD } } },
    });
    expect(set).toMatchObject(invalidWith('at least 20 characters'));
    const body = { type: 'IP', name: 'Office', gateways: [{ type: 'CIDR', value: '127.0.0.0/8' }] };
    await org.admin.put(`/api/v1/zones/${zone.body.id}`, { body });
    const long = `${ANOTHER_PASSWORD}, ${PASSWORD}`;
    expect(await changePassword(org.admin, user.id, PASSWORD, long)).toMatchObject({ status: 200 });
  });

  test('a requirement that access policies decide is refused until they are asked', async () => {
    const [rule] = await listRules(org, policy);
    const requirement = { accessControl: 'AUTH_POLICY' };
    const actions = { ...ALLOWED, selfServicePasswordReset: { access: 'ALLOW', requirement } };
    const place = 'actions.selfServicePasswordReset.requirement.accessControl';
    expect(await org.admin.put(`${policy}/rules/${rule?.id}`, { body: { ...rule, actions } })).toMatchObject(
      invalidWith(`${place}: is not supported yet`),
    );
  });
});

describe('presets', () => {
  const NIST = 'preset=NIST_SP_800_63B';

  test('the profile of NIST is one call away, for a policy and for the default', async () => {
    const made = await org.admin.post(`${POLICIES}?${NIST}`, { body: { type: 'PASSWORD', name: 'NIST' } });
    expect(made).toMatchObject({
      status: 200,
      body: {
        settings: {
          password: {
            complexity: {
              minLength: 15,
              minLowerCase: 0,
              minUpperCase: 0,
              minNumber: 0,
              minSymbol: 0,
              dictionary: { common: { exclude: true } },
            },
            age: { maxAgeDays: 0 },
            lockout: { maxAttempts: 100 },
          },
          recovery: { factors: { recovery_question: { status: 'INACTIVE' } } },
        },
      },
    });
    const { body } = await org.admin.get(policy);
    const { settings: classic, ...rest } = body;
    const changed = await org.admin.put(`${policy}?${NIST}`, { body: rest });
    expect(changed).toMatchObject({ status: 200, body: { settings: made.body.settings } });
    const user = await org.createUser();
    const set = (value: string) =>
      org.admin.post(userPath(user.id), { body: { credentials: { password: { value } } } });
    expect(await set('fourteen chars')).toMatchObject({ status: 400 });
    expect(await set('passwordpassword')).toMatchObject({ status: 400 });
    expect(await set('eine lange Reihe von Wörtern')).toMatchObject({ status: 200 });
    expect(await org.admin.put(`${policy}?preset=CLASSIC`, { body: rest })).toMatchObject({
      body: { settings: classic },
    });
  });

  test.each([
    ['preset=OTHER', { type: 'PASSWORD' }, 'must be one of'],
    [NIST, { type: 'SVC_SIGN_ON' }, 'belongs to policies of the type PASSWORD'],
    [NIST, { type: 'PASSWORD', settings: {} }, 'must be absent: the preset'],
  ])('?%s with %j is refused', async (query, body, text) => {
    const refused = await org.admin.post(`${POLICIES}?${query}`, { body: { name: 'Preset', ...body } });
    expect(refused).toMatchObject(invalidWith(text));
  });
});
