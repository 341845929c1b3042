import { describe, expect, test } from 'vitest';
import { masterKeyOf } from '../../src/platform/crypto/index.ts';
import { listMails } from '../../src/platform/mail/index.ts';
import { MAILS_PER_RECIPIENT_AND_HOUR } from '../../src/platform/mail/mail-outbox.ts';
import { mailTo } from '../support/authn.ts';
import type { TestClient } from '../support/client.ts';
import { customize, templatesOf } from '../support/email-templates.ts';
import type { TestOrg } from '../support/service.ts';
import { useService } from '../support/use-service.ts';
import { CREDENTIALS, lockOut, userPath } from '../support/users.ts';

/** This file tests who gets a template's emails, and how test emails are sent (contract: CustomTemplates; ADR 0045). */
const { service, org } = useService({ isShared: false });

const at = async (of: TestOrg, template: string, rest: string) => `${await templatesOf(of)}/${template}/${rest}`;
const settings = (of: TestOrg, template = 'UserActivation') => at(of, template, 'settings');
const withhold = async (of: TestOrg, template: string, recipients: string) =>
  of.admin.put(await settings(of, template), { body: { recipients } });
const mailsOf = (of: TestOrg) => listMails(service.application.db, masterKeyOf(Buffer.alloc(32, 7)), of.id, 100);

describe('the settings of a template', () => {
  test('are for all users until they are changed, by one who has seen them, with an event', async () => {
    const own = await service.newOrg();
    const path = await settings(own);
    const before = await own.admin.get(path);
    const template = `${own.baseUrl}${path.replace('/settings', '')}`;
    expect(before).toMatchObject({
      status: 200,
      body: {
        recipients: 'ALL_USERS',
        _links: {
          self: { href: `${own.baseUrl}${path}`, hints: { allow: ['GET', 'PUT'] } },
          template: { href: template, hints: { allow: ['GET'] } },
        },
      },
    });
    const headers = { 'if-match': String(before.headers['etag']) };
    expect((await own.admin.put(path, { body: { recipients: 'ALL_USERS' }, headers })).status).toBe(200);
    const changed = await own.admin.put(path, { body: { recipients: 'NO_USERS' }, headers });
    expect(changed).toMatchObject({ status: 200, body: { recipients: 'NO_USERS' } });
    expect((await own.admin.put(path, { body: { recipients: 'ADMINS_ONLY' }, headers })).status).toBe(412);
    expect((await own.admin.get(path)).body).toEqual(changed.body);
    const shown = await own.admin.get(`${path.replace('/settings', '')}?expand=settings,customizationCount`);
    expect(shown.body._embedded).toEqual({ settings: changed.body, customizationCount: 0 });
    expect(Object.keys(shown.body._links)).toEqual(['self', 'settings', 'defaultContent', 'customizations', 'test']);
    expect(await own.systemLog('eventType eq "system.email.template.settings_changed"')).toMatchObject([
      {
        target: [
          {
            id: 'UserActivation',
            type: 'EmailTemplate',
            changeDetails: { from: { recipients: 'ALL_USERS' }, to: { recipients: 'NO_USERS' } },
          },
        ],
      },
    ]);
  });

  test('of two at once one is lost to neither', async () => {
    const own = await service.newOrg();
    const path = await settings(own);
    const headers = { 'if-match': String((await own.admin.get(path)).headers['etag']) };
    const answers = await Promise.all(
      ['NO_USERS', 'ADMINS_ONLY'].map((recipients) => own.admin.put(path, { body: { recipients }, headers })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 412]);
  });

  test.each(['ForgotPassword', 'SelfServiceUnlock'])('of %s are for all: who asked must not wait', async (template) => {
    for (const recipients of ['NO_USERS', 'ADMINS_ONLY']) {
      expect(await withhold(org, template, recipients)).toMatchObject({ status: 422, body: { errorCode: 'E0000189' } });
    }
    expect((await withhold(org, template, 'ALL_USERS')).status).toBe(200);
    expect((await org.admin.get(await settings(org, template))).body.recipients).toBe('ALL_USERS');
  });

  test('are refused with anything else, and for whoever may not', async () => {
    const path = await settings(org);
    for (const body of [{}, { recipients: 'SOME_USERS' }, { recipients: null }, { recipients: ['ALL_USERS'] }]) {
      expect(await org.admin.put(path, { body })).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
    }
    const put = { body: { recipients: 'NO_USERS' } };
    const reader = await org.withRoles('READ_ONLY_ADMIN');
    expect([(await reader.get(path)).status, (await reader.put(path, put)).status]).toEqual([200, 403]);
    expect((await org.withRoles('HELP_DESK_ADMIN').then((desk) => desk.get(path))).status).toBe(403);
    expect((await org.anonymous.put(path, put)).status).toBe(401);
    const other = await service.newOrg();
    expect((await other.admin.put(path, put)).status).toBe(404);
    expect((await org.admin.get(path.replace('UserActivation', 'Nothing'))).status).toBe(404);
    expect((await org.admin.get(path)).body.recipients).toBe('ALL_USERS');
  });

  const invited = async (of: TestOrg, isAdministrator: boolean) => {
    const user = await of.createUser({ query: '?activate=false' });
    if (isAdministrator) await of.admin.post(`${userPath(user.id)}/roles`, { body: { type: 'HELP_DESK_ADMIN' } });
    const sent = await of.admin.post(`${userPath(user.id)}/lifecycle/activate?sendEmail=true`);
    return { user, status: sent.status, mails: (await mailTo(service, of, user)).count };
  };

  test.each([
    ['ALL_USERS', [1, 1]],
    ['ADMINS_ONLY', [0, 1]],
    ['NO_USERS', [0, 0]],
  ] as const)('%s: who gets the mail of an activation', async (recipients, expected) => {
    const own = await service.newOrg();
    await withhold(own, 'UserActivation', recipients);
    const [person, administrator] = [await invited(own, false), await invited(own, true)];
    expect([person.status, administrator.status]).toEqual([200, 200]);
    expect([person.mails, administrator.mails]).toEqual(expected);
    // Administrators can still give the link to a user who gets no email.
    const again = await own.admin.post(`${userPath(person.user.id)}/lifecycle/reactivate?sendEmail=false`);
    expect(again.body.activationUrl).toContain(`${own.baseUrl}/welcome/`);
  });

  test('hold for the mails that nobody asked for', async () => {
    const own = await service.newOrg();
    await withhold(own, 'AccountLockout', 'NO_USERS');
    const user = await own.createUser({ credentials: CREDENTIALS });
    await lockOut(own.admin, user.id);
    expect((await mailTo(service, own, user)).count).toBe(0);
  });
});

describe('a mail to look at', () => {
  const send = async (of: TestOrg, client: TestClient = of.admin, query = '', template = 'UserActivation') =>
    client.post((await at(of, template, 'test')) + query);

  test('goes to the caller’s own addresses, in the own language, and leads nowhere', async () => {
    const own = await service.newOrg();
    const caller = await own.withRoles('SUPER_ADMIN');
    const profile = { secondEmail: 'second@example.com', locale: 'de_CH', firstName: 'Zoë' };
    const { body } = await own.admin.post(userPath(caller.userId), { body: { profile } });
    const sent = await send(own, caller);
    expect([sent.status, sent.text]).toEqual([204, '']);
    const mails = await mailsOf(own);
    expect(mails.map(({ recipient }) => recipient).toSorted()).toEqual(
      [body.profile.email, 'second@example.com'].toSorted(),
    );
    for (const mail of mails) {
      expect(mail).toMatchObject({ kind: 'test', userId: caller.userId });
      expect(mail.subject).toContain('Aktivieren');
      expect(mail.text).toContain(`${own.baseUrl}/example`);
      expect(mail.text).not.toContain('/welcome/');
    }
  });

  test('has the org’s own text in that language, else its default one, for super administrators too', async () => {
    const own = await service.newOrg();
    await customize(own, 'UserActivation', { language: 'en', subject: 'English' });
    await customize(own, 'UserActivation', { language: 'fr', subject: 'Français' });
    const subjects: (string | undefined)[] = [];
    for (const query of ['?language=fr-CH', '?language=ja', '']) {
      service.clock.advance(1_000);
      expect((await send(own, own.admin, query)).status).toBe(204);
      subjects.push((await mailsOf(own))[0]?.subject);
    }
    expect(subjects).toEqual(['Français', 'English', 'English']);
  });

  test('is sent whoever else gets mails of the template', async () => {
    const own = await service.newOrg();
    await withhold(own, 'UserActivation', 'NO_USERS');
    expect((await send(own)).status).toBe(204);
    expect(await mailsOf(own)).toHaveLength(1);
  });

  test('is refused for another template, no language, another org, and whoever may not', async () => {
    const own = await service.newOrg();
    expect((await send(own, own.admin, '', 'Nothing')).status).toBe(404);
    expect((await send(own, own.admin, '?language=!')).body).toMatchObject({ errorCode: 'E0000001' });
    expect((await send(org, own.admin)).status).toBe(404);
    expect((await send(own, await own.withRoles('HELP_DESK_ADMIN'))).status).toBe(403);
    expect((await send(own, await own.withRoles('READ_ONLY_ADMIN'))).status).toBe(403);
    expect((await send(own, own.anonymous)).status).toBe(401);
    expect(await mailsOf(own)).toEqual([]);
  });

  test('is limited as mails to any address are', async () => {
    const own = await service.newOrg();
    const path = await at(own, 'UserActivation', 'test');
    for (let sent = 0; sent < MAILS_PER_RECIPIENT_AND_HOUR; sent += 1) {
      expect((await own.admin.post(path)).status).toBe(204);
    }
    expect(await own.admin.post(path)).toMatchObject({ status: 429, body: { errorCode: 'E0000047' } });
    expect(await mailsOf(own)).toHaveLength(MAILS_PER_RECIPIENT_AND_HOUR);
  });
});
