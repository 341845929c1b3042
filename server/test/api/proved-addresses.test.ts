import { describe, expect, test } from 'vitest';
import { AUTHN, mailTo, step } from '../support/authn.ts';
import { useService } from '../support/use-service.ts';
import { newUserApp, payloadOf, tokensOf, type UserApp } from '../support/user-tokens.ts';
import { PASSWORD, userPath } from '../support/users.ts';

/** This file tests that `email_verified` is true only if somebody vouches for the address (ADR 0051). */
const { service, org } = useService({ isShared: false });
const VICTIM = 'admin@acme.localhost';

const write = (app: UserApp, email: string, method: 'post' | 'put' = 'post') =>
  org.admin[method](userPath(app.userId), {
    body: { profile: { firstName: 'A', lastName: 'B', login: app.login, email } },
  });

/** Stores an unverified email address, as users of an older version could. */
const writeUnproved = ({ userId }: UserApp, email: string) =>
  service.database.pool.query(
    `update users set unproved_email = $2, profile = profile || jsonb_build_object('email', $2::text) where id = $1`,
    [userId, email],
  );

const recoveryOf = async ({ login, userId }: UserApp) => {
  await step(org.anonymous, '/recovery/password', { username: login, factorType: 'EMAIL' });
  return mailTo(service, org, { id: userId });
};
const open = (recoveryToken: string) => step(org.anonymous, '/recovery/token', { recoveryToken });

/** Returns the email claims of userinfo. Checks that the ID tokens agree with them. */
async function verified(app: UserApp): Promise<unknown> {
  const { access_token, id_token } = await tokensOf(service, org, app, { scopes: ['openid', 'email'] });
  const userinfo = await org.client({ authorization: `Bearer ${access_token}` }).get('/oauth2/v1/userinfo');
  const alone = await tokensOf(service, org, app, { scopes: ['openid', 'email'] });
  expect(payloadOf(alone.id_token).email).toBe(userinfo.body.email);
  const inToken = payloadOf(id_token).email_verified;
  if (inToken !== undefined) expect(inToken).toBe(userinfo.body.email_verified);
  return { email: userinfo.body.email, email_verified: userinfo.body.email_verified };
}

interface Writer {
  readonly email: string | null;
  readonly email_verified: boolean;
  readonly write: (app: UserApp) => Promise<unknown>;
}

const WRITERS: Readonly<Record<string, Writer>> = {
  'an administrator who made the user': { email: null, email_verified: true, write: async () => undefined },
  'an administrator, by POST': {
    email: 'x@b.example',
    email_verified: true,
    write: (app) => write(app, 'x@b.example'),
  },
  'an administrator, by PUT': {
    email: 'x@b.example',
    email_verified: true,
    write: (app) => write(app, 'x@b.example', 'put'),
  },
  'the owner, of before': { email: VICTIM, email_verified: false, write: (app) => writeUnproved(app, VICTIM) },
  'the owner, and an administrator who writes the same': {
    email: VICTIM,
    email_verified: false,
    write: async (app) => {
      await writeUnproved(app, VICTIM);
      await write(app, VICTIM, 'put');
    },
  },
  'the owner, and an administrator who writes another': {
    email: 'x@b.example',
    email_verified: true,
    write: async (app) => {
      await writeUnproved(app, VICTIM);
      await write(app, 'x@b.example');
    },
  },
  'the owner, who opens a link that was mailed there': {
    email: VICTIM,
    email_verified: true,
    write: async (app) => {
      await writeUnproved(app, VICTIM);
      const { token } = await recoveryOf(app);
      const { headers } = await org.admin.get(userPath(app.userId));
      expect((await open(token)).status).toBe(200);
      expect((await org.admin.get(userPath(app.userId))).headers['etag']).not.toBe(headers['etag']);
    },
  },
  'the owner, who opens a link that was mailed elsewhere': {
    email: VICTIM,
    email_verified: false,
    write: async (app) => {
      const { token } = await recoveryOf(app);
      await writeUnproved(app, VICTIM);
      expect((await open(token)).status).toBe(200);
    },
  },
  'the owner, who opens a link that was handed over': {
    email: VICTIM,
    email_verified: false,
    write: async (app) => {
      await writeUnproved(app, VICTIM);
      const { body } = await org.admin.post(`${userPath(app.userId)}/credentials/forgot_password?sendEmail=false`);
      expect((await open(body.resetPasswordUrl.slice(-20))).status).toBe(200);
    },
  },
};

describe('written by', () => {
  test.each(Object.entries(WRITERS))('%s', async (_name, { email, email_verified, write: writes }) => {
    const app = await newUserApp(org);
    await writes(app);
    expect(await verified(app)).toEqual({ email: email ?? app.login, email_verified });
    const { credentials } = (await org.admin.get(userPath(app.userId))).body;
    const status = email_verified ? 'VERIFIED' : 'UNVERIFIED';
    expect(credentials.emails).toEqual([{ value: email ?? app.login, status, type: 'PRIMARY' }]);
  });
});

test('an activation that was mailed to the address proves it', async () => {
  const app = await newUserApp(org);
  const user = await org.createUser();
  await service.database.pool.query('update users set unproved_email = $2 where id = $1', [
    user.id,
    user.profile.email,
  ]);
  const { token } = await mailTo(service, org, user);
  const { stateToken } = (await org.anonymous.post(AUTHN, { body: { token } })).body;
  await step(org.anonymous, '/credentials/reset_password', { stateToken, newPassword: PASSWORD });
  const own = { ...app, userId: user.id, login: user.profile.login };
  await org.admin.put(`/api/v1/apps/${app.id}/users/${user.id}`, { body: {} });
  expect(await verified(own)).toEqual({ email: user.profile.email, email_verified: true });
});
