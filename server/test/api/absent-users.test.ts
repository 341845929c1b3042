import { describe, expect, test } from 'vitest';
import { ADMISSION_PATHS } from '../../src/access/admission.ts';
import {
  approvalsOf,
  approve,
  newAbsentServer,
  newSpeaker,
  newSubject,
  type Subject,
  speakFor,
} from '../support/absent-users.ts';
import { assign as assignApp } from '../support/authorization.ts';
import { beforeTests } from '../support/before-tests.ts';
import { good } from '../support/custom-servers.ts';
import { addMember, createGroup } from '../support/groups.ts';
import { assign, withTargets } from '../support/roles.ts';
import type { ServiceApp } from '../support/service-apps.ts';
import { withScopes } from '../support/service-clients.ts';
import { exchangeToken, ID_TOKEN, newExchanger, tokenAt, tokensAt } from '../support/token-exchange.ts';
import { useService } from '../support/use-service.ts';
import { payloadOf, refresh, requestTokens } from '../support/user-tokens.ts';

// This file tests tokens for an absent user (ADR 0060; docs/review-findings.md, security 8).

type Speaker = ServiceApp & { label: string };

const { service, org } = useService({ isShared: false });
const server = beforeTests(() => newAbsentServer(org));
const app = beforeTests(() => newSpeaker(org, []));

const at = () => ({ path: tokenAt(server) });
const SCOPES = ['openid', 'offline_access', 'orders.read'];
const REFUSED = { status: 401, body: { error: 'access_denied' } };

/** Each process caches for up to a second whether an app may act for an absent user. */
const soon = () => service.clock.advance(1_100);

const has = async (subject: Subject, of: { readonly id: string } = app): Promise<Subject> => {
  await assignApp(org, of, subject.userId);
  return subject;
};
const speak = (subject: Subject, as: Speaker = app, scope?: string) => speakFor(org, server, as, subject, scope);
const introspect = async (token: string, as: Speaker = app): Promise<boolean> =>
  (await requestTokens(org, as, { token }, { path: `${server.oauth}/v1/introspect` })).body.active;

const signedIn = (subject: Subject, as: Speaker = app) => tokensAt(service, org, { ...as, ...subject }, server, SCOPES);

async function dropRoles(userId: string): Promise<void> {
  const { body } = await org.admin.get(`/api/v1/users/${userId}/roles`);
  for (const { id } of body) await good(org.admin.del(`/api/v1/users/${userId}/roles/${id}`));
  soon();
}

describe('an app’s word for an administrator', () => {
  test('is refused, and the log says why, where it is good for anybody else', async () => {
    expect((await speak(await has(await newSubject(org)))).status).toBe(200);
    const helper = await has(await newSubject(org, 'HELP_DESK_ADMIN'));
    expect(await speak(helper)).toMatchObject({
      ...REFUSED,
      body: { error_description: 'The client may not obtain tokens for this user while the user is absent.' },
    });
    const [event] = await org.systemLog(
      `outcome.reason eq "absent_user_denied" and target.id eq "${helper.userId}" and actor.id eq "${app.id}"`,
    );
    expect(event).toMatchObject({ outcome: { result: 'FAILURE' } });
  });

  test('is refused by whichever way he holds his role', async () => {
    const byGroup = await has(await newSubject(org));
    const group = await createGroup(org);
    await assign(org, `/api/v1/groups/${group.id}`, 'REPORT_ADMIN');
    await addMember(org, group.id, byGroup.userId);
    const { userId } = await withTargets(org, 'APP_ADMIN', { apps: [`oidc_client/${app.id}`] });
    const { body } = await org.admin.get(`/api/v1/users/${userId}`);
    const byApp = await has({ userId, login: body.profile.login });
    for (const subject of [byGroup, byApp]) expect(await speak(subject)).toMatchObject(REFUSED);
  });

  test('is good where somebody who holds as much has approved the app, and for no more than he holds', async () => {
    const own = await newSpeaker(org, []);
    const helper = await has(await newSubject(org, 'HELP_DESK_ADMIN'), own);
    const admin = await has(await newSubject(org, 'ORG_ADMIN'), own);
    expect((await approve(await org.withRoles('APP_ADMIN'), own)).status).toBe(201);
    expect(await speak(helper, own)).toMatchObject(REFUSED);
    expect((await approve(await org.withRoles('ORG_ADMIN'), own)).status).toBe(201);
    expect((await speak(helper, own)).status).toBe(200);
    expect((await speak(admin, own)).status).toBe(200);
    await assign(org, `/api/v1/users/${helper.userId}`, 'SUPER_ADMIN');
    expect(await speak(helper, own)).toMatchObject(REFUSED);
    expect((await approve(org.admin, own)).status).toBe(201);
    expect((await speak(helper, own)).status).toBe(200);
    // The approval does not cover another app.
    expect(await speak(await has(admin))).toMatchObject(REFUSED);
  });

  test('is refused once its approver is demoted, shut out or gone', async () => {
    const helper = await newSubject(org, 'HELP_DESK_ADMIN');
    const endings: ((userId: string) => Promise<unknown>)[] = [
      dropRoles,
      (id) => good(org.admin.post(`/api/v1/users/${id}/lifecycle/suspend`)),
      async (id) => {
        await good(org.admin.post(`/api/v1/users/${id}/lifecycle/deactivate`));
        await good(org.admin.del(`/api/v1/users/${id}`));
      },
    ];
    for (const end of endings) {
      const own = await newSpeaker(org, [helper.userId]);
      const approver = await org.withRoles('ORG_ADMIN');
      await good(approve(approver, own));
      expect((await speak(helper, own)).status).toBe(200);
      await end(approver.userId);
      expect(await speak(helper, own)).toMatchObject(REFUSED);
      expect((await org.admin.get(approvalsOf(own))).body).toMatchObject([
        { status: 'INACTIVE', createdBy: { id: approver.userId } },
      ]);
    }
  });

  test('is not good by what its approver has gained since, until he says so again', async () => {
    const own = await newSpeaker(org, []);
    const admin = await has(await newSubject(org, 'ORG_ADMIN'), own);
    const approver = await org.withRoles('APP_ADMIN');
    const { id } = await good(approve(approver, own));
    await assign(org, `/api/v1/users/${approver.userId}`, 'ORG_ADMIN');
    soon();
    expect(await speak(admin, own)).toMatchObject(REFUSED);
    expect(await approve(approver, own)).toMatchObject({ status: 201, body: { id } });
    expect((await speak(admin, own)).status).toBe(200);
  });
});

describe('what is given for a user who was not there', () => {
  /** Ways to use an app's assertion about a user, or the tokens that the app gets for the assertion. */
  const USES: Readonly<Record<string, (subject: Subject) => Promise<() => Promise<boolean>>>> = {
    assertionGrant: async (subject) => async () => (await speak(subject)).status === 200,
    exchangeToken: async (subject) => {
      const { id_token: id } = (await speak(subject)).body;
      const form = { subject_token_type: ID_TOKEN, scope: 'openid' };
      return async () => (await exchangeToken(org, app, id, form, at())).status === 200;
    },
    refreshToken: async (subject) => {
      await signedIn(subject);
      const { access_token: token } = (await speak(subject, app, SCOPES.join(' '))).body;
      const { body } = await exchangeToken(org, app, token, { scope: SCOPES.join(' ') }, at());
      let held = body.refresh_token;
      return async () => {
        const isTold = await introspect(held);
        const { body: next, status } = await refresh(org, app, held, {}, at());
        expect(isTold).toBe(status === 200);
        held = next.refresh_token ?? held;
        return status === 200;
      };
    },
    useUserToken: async (subject) => {
      const { access_token: access, id_token: id } = (await speak(subject)).body;
      return async () => {
        const bearer = org.client({ authorization: `Bearer ${access}` });
        const isRead = (await bearer.get(`${server.oauth}/v1/userinfo`)).status === 200;
        expect([await introspect(access), await introspect(id)]).toEqual([isRead, isRead]);
        return isRead;
      };
    },
  };

  test('is used by these paths and no others', () => {
    const paths = Object.entries(ADMISSION_PATHS).flatMap(([path, rule]) =>
      'person' in rule && rule.person === 'mayBeAbsent' ? [path] : [],
    );
    expect(Object.keys(USES).toSorted()).toEqual(paths.toSorted());
  });

  test.each(Object.entries(USES))('holds by %s only while nobody has to be asked, or was', async (_path, begin) => {
    const subject = await has(await newSubject(org));
    const isGood = await begin(subject);
    expect(await isGood()).toBe(true);
    await assign(org, `/api/v1/users/${subject.userId}`, 'HELP_DESK_ADMIN');
    soon();
    expect(await isGood()).toBe(false);
    const { id } = await good(approve(org.admin, app));
    soon();
    expect(await isGood()).toBe(true);
    await good(org.admin.del(`${approvalsOf(app)}/${id}`));
    soon();
    expect(await isGood()).toBe(false);
    await dropRoles(subject.userId);
    expect(await isGood()).toBe(true);
  });

  test('says so wherever it goes on: no time, no method, and whoever acts', async () => {
    const subject = await has(await newSubject(org));
    await signedIn(subject);
    const second = await newExchanger(org, [subject.userId]);
    const first = (await speak(subject, app, SCOPES.join(' '))).body;
    const { body } = await exchangeToken(org, second, first.access_token, { scope: SCOPES.join(' ') }, at());
    const { body: next } = await refresh(org, second, body.refresh_token, {}, at());
    const speaker = { iss: server.issuer, sub: app.id };
    const act = { iss: server.issuer, sub: second.id, act: speaker };
    const told = [
      first.access_token,
      first.id_token,
      body.access_token,
      body.id_token,
      next.access_token,
      next.id_token,
    ];
    expect(told.map((token) => payloadOf(token).act)).toEqual([speaker, speaker, act, act, act, act]);
    for (const token of told) {
      expect(payloadOf(token)).not.toHaveProperty('auth_time');
      expect(payloadOf(token)).not.toHaveProperty('amr');
    }
    for (const token of [next.access_token, next.id_token, next.refresh_token]) {
      const answer = await requestTokens(org, second, { token }, { path: `${server.oauth}/v1/introspect` });
      expect(answer.body).toMatchObject({ active: true, act });
    }
  });

  test('is asked of the app that exchanges it, too', async () => {
    const helper = await has(await newSubject(org, 'HELP_DESK_ADMIN'));
    const { id } = await good(approve(org.admin, app));
    const second = await newExchanger(org, [helper.userId]);
    const { access_token: token } = await good(speak(helper));
    expect(await exchangeToken(org, second, token, {}, at())).toMatchObject(REFUSED);
    await good(approve(org.admin, second));
    expect((await exchangeToken(org, second, token, {}, at())).status).toBe(200);
    await good(org.admin.del(`${approvalsOf(app)}/${id}`));
  });
});

test('a token of the user’s own keeps when he was there, administrator or not, and gains who acts', async () => {
  for (const roles of [[], ['SUPER_ADMIN']] as const) {
    const subject = await has(await newSubject(org, ...roles));
    const second = await newExchanger(org, [subject.userId]);
    const own = await signedIn(subject);
    const { auth_time: authTime } = payloadOf(own.access_token);
    const { body } = await exchangeToken(org, second, own.access_token, {}, at());
    const told = { auth_time: authTime, act: { iss: server.issuer, sub: second.id } };
    expect(authTime).toEqual(expect.any(Number));
    for (const token of [body.access_token, body.id_token]) expect(payloadOf(token)).toMatchObject(told);
    expect(payloadOf(own.access_token)).not.toHaveProperty('act');
  }
});

test('an approval takes the scopes for grants, and may be an app’s that holds roles; ids are chosen', async () => {
  const own = await newSpeaker(org, [], { clientId: 'Speaker.for-absent' });
  const helper = await has(await newSubject(org, 'HELP_DESK_ADMIN'), own);
  const managing = await withScopes(service, org, ['apps.read', 'apps.manage'], ['ORG_ADMIN']);
  expect([await managing.get(approvalsOf(own)), await approve(managing, own)]).toMatchObject([
    { status: 403 },
    { status: 403 },
  ]);
  const clientId = 'Approver.of-absence';
  const granting = await withScopes(service, org, ['appGrants.manage'], ['ORG_ADMIN'], { clientId });
  expect(await approve(granting, own)).toMatchObject({
    status: 201,
    body: { createdBy: { type: 'PublicClientApp' } },
  });
  expect((await speak(helper, own)).status).toBe(200);
});
