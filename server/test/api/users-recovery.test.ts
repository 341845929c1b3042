import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { useService } from '../support/use-service.ts';
import {
  ANOTHER_PASSWORD,
  CREDENTIALS,
  changePassword,
  eventsOf,
  PASSWORD,
  userIn,
  userPath,
} from '../support/users.ts';

const { service, org } = useService({ isShared: false });

const TOKEN = '[0-9A-Za-z]{20}';
const minutes = (from: Date, to: Date): number => (to.getTime() - from.getTime()) / 60_000;

interface StoredToken {
  readonly kind: string;
  readonly hash: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

async function tokensOf(userId: string): Promise<StoredToken[]> {
  const text = `select kind, encode(token_hash, 'hex') as hash, created_at as "createdAt", expires_at as "expiresAt"
    from user_recovery_tokens where org_id = $1 and user_id = $2 order by kind`;
  return (await service.database.pool.query<StoredToken>(text, [org.id, userId])).rows;
}
async function mailsTo(userId: string): Promise<unknown[]> {
  const text = 'select kind, recipient from mail_outbox where org_id = $1 and user_id = $2 order by created_at, id';
  return (await service.database.pool.query(text, [org.id, userId])).rows;
}
const post = (id: string, operation: string) => org.admin.post(`${userPath(id)}/${operation}`);
const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');

describe('activate', () => {
  test('a user with a password is mailed nothing, and a link that is handed out leads to the sign-in', async () => {
    const mailed = await userIn(org, 'STAGED');
    expect(await post(mailed.id, 'lifecycle/activate')).toMatchObject({ status: 200, body: {} });
    expect([await tokensOf(mailed.id), await mailsTo(mailed.id)]).toEqual([[], []]);
    const user = await userIn(org, 'STAGED');
    const { body, status } = await post(user.id, 'lifecycle/activate?sendEmail=false');
    expect({ body, status }).toEqual({
      status: 200,
      body: {
        activationUrl: `${org.baseUrl}/welcome/${body.activationToken}`,
        activationToken: expect.stringMatching(new RegExp(`^${TOKEN}$`)),
      },
    });
    expect(await tokensOf(user.id)).toMatchObject([{ kind: 'WELCOME', hash: hashOf(body.activationToken) }]);
    expect(await mailsTo(user.id)).toEqual([]);
    // Administrators who may activate users must not be able to choose the users' passwords.
    const refused = { status: 401, body: { errorCode: 'E0000011' } };
    const redeem = () =>
      org.anonymous.post('/api/v1/authn/recovery/token', { body: { recoveryToken: body.activationToken } });
    expect(await redeem()).toMatchObject(refused);
    await post(user.id, 'lifecycle/reset_password?sendEmail=false');
    expect(await redeem()).toMatchObject(refused);
  });

  test('by default the link is mailed and the answer is empty', async () => {
    const user = await org.createUser({ query: '?activate=false' });
    const activated = await post(user.id, 'lifecycle/activate');
    expect(activated.body).toEqual({});
    expect(await mailsTo(user.id)).toEqual([{ kind: 'activation', recipient: user.profile.email }]);
    expect(await tokensOf(user.id)).toHaveLength(1);
  });

  test('sendEmail=false: the answer holds it, stored is its hash alone', async () => {
    const user = await org.createUser({ query: '?activate=false' });
    const { body } = await post(user.id, 'lifecycle/activate?sendEmail=false');
    expect(body).toEqual({
      activationUrl: `${org.baseUrl}/welcome/${body.activationToken}`,
      activationToken: expect.stringMatching(new RegExp(`^${TOKEN}$`)),
    });
    expect(await mailsTo(user.id)).toEqual([]);
    const [token] = await tokensOf(user.id);
    expect(token).toMatchObject({ kind: 'ACTIVATION', hash: hashOf(body.activationToken) });
    expect(minutes(token?.createdAt ?? new Date(), token?.expiresAt ?? new Date())).toBe(7 * 24 * 60);
  });

  test('reactivate answers the token by default, mails it when asked; only the last one counts', async () => {
    const user = await userIn(org, 'PROVISIONED');
    const first = (await post(user.id, 'lifecycle/reactivate')).body;
    expect(first.activationUrl).toMatch(new RegExp(`^${org.baseUrl}/welcome/${TOKEN}$`));
    const second = (await post(user.id, 'lifecycle/reactivate?sendEmail=false')).body;
    expect(second.activationToken).not.toBe(first.activationToken);
    expect(await tokensOf(user.id)).toMatchObject([{ kind: 'ACTIVATION', hash: hashOf(second.activationToken) }]);
    expect((await post(user.id, 'lifecycle/reactivate?sendEmail=true')).body).toEqual({});
    expect(await mailsTo(user.id)).toHaveLength(2);
  });

  test('sendEmail is a flag', async () => {
    const user = await org.createUser({ query: '?activate=false' });
    expect(await post(user.id, 'lifecycle/activate?sendEmail=later')).toMatchObject({
      status: 400,
      body: { errorCode: 'E0000037' },
    });
  });
});

describe('reset_password', () => {
  test('ACTIVE and never signed in: RECOVERY, not PROVISIONED', async () => {
    const user = await userIn(org, 'ACTIVE');
    expect(user.lastLogin).toBeNull();
    const { body } = await post(user.id, 'lifecycle/reset_password?sendEmail=false');
    expect(body).toEqual({
      resetPasswordUrl: expect.stringMatching(new RegExp(`^${org.baseUrl}/reset_password/${TOKEN}$`)),
    });
    expect((await org.admin.get(userPath(user.id))).body.status).toBe('RECOVERY');
    const [token] = await tokensOf(user.id);
    expect(token).toMatchObject({ kind: 'PASSWORD_RESET', hash: hashOf(body.resetPasswordUrl.slice(-20)) });
    expect(minutes(token?.createdAt ?? new Date(), token?.expiresAt ?? new Date())).toBe(60);
    expect(await mailsTo(user.id)).toEqual([]);
  });

  test('by default the link is mailed and the answer is empty', async () => {
    const user = await userIn(org, 'ACTIVE');
    expect((await post(user.id, 'lifecycle/reset_password')).body).toEqual({});
    expect(await mailsTo(user.id)).toEqual([{ kind: 'passwordReset', recipient: user.profile.email }]);
  });

  test('the link has the address of the org, whatever else the request says', async () => {
    const user = await userIn(org, 'ACTIVE');
    const { body } = await org.admin.post(`${userPath(user.id)}/lifecycle/reset_password?sendEmail=false`, {
      headers: { 'x-forwarded-host': 'evil.example.com', forwarded: 'host=evil.example.com', referer: 'https://evil/' },
    });
    expect(body.resetPasswordUrl.startsWith(`${org.baseUrl}/`)).toBe(true);
  });

  test('again: another token, the first one is void', async () => {
    const user = await userIn(org, 'ACTIVE');
    const first = (await post(user.id, 'lifecycle/reset_password?sendEmail=false')).body.resetPasswordUrl;
    const second = (await post(user.id, 'lifecycle/reset_password?sendEmail=false')).body.resetPasswordUrl;
    expect(second).not.toBe(first);
    expect(await tokensOf(user.id)).toMatchObject([{ hash: hashOf(second.slice(-20)) }]);
  });

  test('a locked user is no longer locked, nor are its failures counted on', async () => {
    const user = await userIn(org, 'LOCKED_OUT');
    await post(user.id, 'lifecycle/reset_password');
    const text = 'select failed_attempts as attempts, locked_at as locked from user_sign_in where user_id = $1';
    expect((await service.database.pool.query(text, [user.id])).rows).toEqual([{ attempts: 0, locked: null }]);
  });

  test('provider=FEDERATION takes the password and what could set one', async () => {
    const user = await userIn(org, 'ACTIVE');
    await post(user.id, 'credentials/forgot_password');
    expect(await tokensOf(user.id)).toHaveLength(1);
    expect(await post(user.id, 'lifecycle/reset_password?provider=FEDERATION')).toMatchObject({
      status: 200,
      body: {},
    });
    const { body } = await org.admin.get(userPath(user.id));
    expect(body).toMatchObject({
      status: 'ACTIVE',
      passwordChanged: null,
      credentials: { provider: { type: 'FEDERATION', name: 'FEDERATION' } },
    });
    expect(body.lastUpdated).toMatch(/\.000Z$/);
    expect(body.credentials).not.toHaveProperty('password');
    expect(await tokensOf(user.id)).toEqual([]);
    expect(await changePassword(org.admin, user.id, PASSWORD, ANOTHER_PASSWORD)).toMatchObject({
      status: 403,
      body: { errorCode: 'E0000035' },
    });
  });

  test('without one it takes a user of another provider back', async () => {
    const user = await userIn(org, 'ACTIVE');
    await post(user.id, 'lifecycle/reset_password?provider=FEDERATION');
    const reset = await post(user.id, 'lifecycle/reset_password?sendEmail=false');
    expect(reset).toMatchObject({ status: 200 });
    expect((await org.admin.get(userPath(user.id))).body).toMatchObject({
      status: 'RECOVERY',
      credentials: { provider: user.credentials.provider },
    });
    expect(await eventsOf(org, reset)).toMatchObject([
      { target: [{ changeDetails: { from: { provider: 'FEDERATION' }, to: { provider: 'INTERNAL' } } }] },
    ]);
    await org.admin.post(userPath(user.id), { body: { credentials: { password: { value: ANOTHER_PASSWORD } } } });
    expect(await changePassword(org.admin, user.id, ANOTHER_PASSWORD, 'Third-3-Password')).toMatchObject({
      status: 200,
    });
  });

  test('another provider is refused', async () => {
    const user = await userIn(org, 'ACTIVE');
    expect(await post(user.id, 'lifecycle/reset_password?provider=SOCIAL')).toMatchObject({
      status: 400,
      body: { errorCode: 'E0000001' },
    });
  });
});

describe('forgot_password', () => {
  test('leaves status and password; the link is mailed, or in the answer', async () => {
    const user = await userIn(org, 'ACTIVE');
    expect((await post(user.id, 'credentials/forgot_password')).body).toEqual({});
    expect(await mailsTo(user.id)).toEqual([{ kind: 'passwordReset', recipient: user.profile.email }]);
    const { body } = await post(user.id, 'credentials/forgot_password?sendEmail=false');
    expect(body.resetPasswordUrl).toMatch(new RegExp(`^${org.baseUrl}/signin/reset-password/${TOKEN}$`));
    expect(await tokensOf(user.id)).toMatchObject([{ hash: hashOf(body.resetPasswordUrl.slice(-20)) }]);
    expect((await org.admin.get(userPath(user.id))).body).toEqual(user);
    expect(await changePassword(org.admin, user.id, PASSWORD, ANOTHER_PASSWORD)).toMatchObject({ status: 200 });
    expect(await tokensOf(user.id)).toEqual([]);
  });

  test('without a recovery question: 403', async () => {
    const user = await org.createUser({ credentials: { password: { value: PASSWORD } } });
    expect(await post(user.id, 'credentials/forgot_password')).toMatchObject({
      status: 403,
      body: { errorCode: 'E0000034' },
    });
    expect(await mailsTo(user.id)).toEqual([]);
  });

  test('of a user of another provider: 403, also with a recovery question', async () => {
    const user = await userIn(org, 'ACTIVE');
    await post(user.id, 'lifecycle/reset_password?provider=FEDERATION');
    const { _links, credentials } = (await org.admin.get(userPath(user.id))).body;
    expect(credentials).toHaveProperty('recovery_question');
    expect(_links).not.toHaveProperty('forgotPassword');
    for (const sendEmail of [true, false]) {
      expect(await post(user.id, `credentials/forgot_password?sendEmail=${sendEmail}`)).toMatchObject({
        status: 403,
        body: { errorCode: 'E0000034' },
      });
    }
    expect(await tokensOf(user.id)).toEqual([]);
    expect(await mailsTo(user.id)).toEqual([]);
  });
});

describe('expire_password', () => {
  test('answers the whole user', async () => {
    const user = await userIn(org, 'ACTIVE');
    const expired = await post(user.id, 'lifecycle/expire_password');
    expect(expired.body).toMatchObject({ id: user.id, status: 'PASSWORD_EXPIRED', credentials: { password: {} } });
    expect(expired.body).toEqual((await org.admin.get(userPath(user.id))).body);
    expect(await changePassword(org.admin, user.id, PASSWORD, ANOTHER_PASSWORD)).toMatchObject({ status: 200 });
    expect((await org.admin.get(userPath(user.id))).body.status).toBe('ACTIVE');
  });

  test.each(['expire_password?tempPassword=true', 'expire_password_with_temp_password'])(
    '%s: the password told is the one in force, and acceptable',
    async (operation) => {
      const user = await org.createUser({ credentials: CREDENTIALS });
      const answer = await post(user.id, `lifecycle/${operation}`);
      expect(Object.keys(answer.body)).toEqual(['tempPassword']);
      const { tempPassword } = answer.body;
      expect(await changePassword(org.admin, user.id, PASSWORD, ANOTHER_PASSWORD)).toMatchObject({ status: 403 });
      expect(await changePassword(org.admin, user.id, tempPassword, tempPassword)).toMatchObject({
        status: 400,
        body: { errorCauses: [{ reason: 'PASSWORD_HISTORY' }] },
      });
      expect(await changePassword(org.admin, user.id, tempPassword, ANOTHER_PASSWORD)).toMatchObject({ status: 200 });
      expect(JSON.stringify(await org.systemLog(`target.id eq "${user.id}"`))).not.toContain(tempPassword);
      expect(service.logged()).not.toContain(tempPassword);
      const another = await post(user.id, `lifecycle/${operation}`);
      expect(another.body.tempPassword).not.toBe(tempPassword);
    },
  );

  test('without a password there is none to expire', async () => {
    const provider = { type: 'FEDERATION', name: 'Partner' };
    const user = await org.createUser({ credentials: { provider }, query: '?provider=true' });
    for (const operation of ['expire_password', 'expire_password_with_temp_password']) {
      expect(await post(user.id, `lifecycle/${operation}`)).toMatchObject({
        status: 403,
        body: { errorCode: 'E0000038' },
      });
    }
  });
});
