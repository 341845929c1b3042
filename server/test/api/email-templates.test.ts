import { describe, expect, test } from 'vitest';
import { mailTo } from '../support/authn.ts';
import type { TestResponse } from '../support/client.ts';
import { customize, newCustomization, templatesOf } from '../support/email-templates.ts';
import { causesIn } from '../support/schemas.ts';
import type { TestOrg } from '../support/service.ts';
import { useService } from '../support/use-service.ts';
import { CREDENTIALS, userPath } from '../support/users.ts';

/** This file tests an org's own email texts (ADR 0043; contract: Brands, CustomTemplates). */
const { service, org } = useService({ isShared: false });

const at = async (of: TestOrg, template = 'UserActivation') => `${await templatesOf(of)}/${template}`;
const invited = async (of: TestOrg, profile: Readonly<Record<string, unknown>> = {}) => {
  const user = await of.createUser({ profile, query: '?activate=false' });
  await of.admin.post(`${userPath(user.id)}/lifecycle/activate?sendEmail=true`);
  return mailTo(service, of, user);
};

describe('the brand', () => {
  test('is one, with the name of the org', async () => {
    const { body, status } = await org.admin.get('/api/v1/brands');
    expect([status, body]).toEqual([200, [expect.objectContaining({ name: 'Test', isDefault: true })]]);
    const one = await org.admin.get(`/api/v1/brands/${body[0].id}`);
    expect(one).toMatchObject({ status: 200, body: body[0] });
    const other = await service.newOrg();
    expect((await other.admin.get('/api/v1/brands')).body[0].id).not.toBe(body[0].id);
    expect((await other.admin.get(`/api/v1/brands/${body[0].id}`)).status).toBe(404);
  });
});

describe('templates', () => {
  test('are the mails that we send, with our own content and its variables', async () => {
    const templates = await templatesOf(org);
    const names = (await org.admin.get(templates)).body.map(({ name }: { name: string }) => name);
    expect(names).toEqual(['AccountLockout', 'ForgotPassword', 'SelfServiceUnlock', 'UserActivation']);
    for (const name of names) {
      const { body } = await org.admin.get(`${templates}/${name}/default-content?language=de-AT`);
      expect(body.subject).toContain('${org.name}');
      expect(body.body).toContain('<html lang="de">');
      const copy = await org.admin.post(`${templates}/${name}/customizations`, {
        body: { language: 'de', subject: body.subject, body: body.body },
      });
      expect([name, copy.status]).toEqual([name, 201]);
      expect((await org.admin.get(`${templates}/${name}?expand=customizationCount`)).body._embedded).toEqual({
        customizationCount: 1,
      });
      expect((await org.admin.del(`${templates}/${name}/customizations`)).status).toBe(204);
    }
    const preview = await org.admin.get(`${templates}/UserActivation/default-content/preview?language=fr`);
    expect(preview.body.subject).toBe('Activez votre compte chez Test');
    expect(preview.body.body).not.toContain('${');
    expect((await org.admin.get(`${templates}/Nothing`)).body).toMatchObject({ errorCode: 'E0000007' });
    expect((await org.admin.get(`${templates}/UserActivation/default-content?language=!`)).status).toBe(400);
  });
});

describe('a customization', () => {
  test('is made, read, previewed, replaced and deleted, each with its event', async () => {
    const own = await service.newOrg();
    const list = `${await at(own)}/customizations`;
    const first = await own.admin.post(list, { body: newCustomization({ isDefault: false }) });
    expect(first).toMatchObject({ status: 201, body: { language: 'en', isDefault: true } });
    const second = await own.admin.post(list, { body: newCustomization({ language: 'pt-br' }) });
    expect(second).toMatchObject({ status: 201, body: { language: 'pt-BR', isDefault: false } });
    const path = `${list}/${second.body.id}`;
    expect((await own.admin.get(list)).body).toHaveLength(2);
    const preview = (await own.admin.get(`${path}/preview`)).body;
    expect(preview.subject).toBe('A word from Test');
    expect(preview.body).toContain('<a href="https://');
    const change = { body: newCustomization({ language: 'pt-br', subject: 'Olá' }) };
    const stale = { ...change, headers: { 'if-match': String(first.headers['etag']) } };
    expect((await own.admin.put(path, stale)).status).toBe(412);
    expect(await own.admin.put(path, change)).toMatchObject({ status: 200, body: { subject: 'Olá' } });
    expect((await own.admin.put(path, change)).status).toBe(200);
    expect((await own.admin.del(path)).status).toBe(204);
    expect((await own.admin.get(path)).status).toBe(404);
    const events = await own.systemLog('eventType sw "system.email.template"');
    expect(events.map(({ eventType }) => eventType.slice('system.email.template.'.length))).toEqual([
      'create',
      'create',
      'update',
      'delete',
    ]);
    expect(events[2]).toMatchObject({
      target: [{ id: second.body.id, type: 'EmailTemplate', displayName: 'UserActivation', alternateId: 'pt-BR' }],
    });
  });

  test('each template has one default and each language one text, also of two at once', async () => {
    const own = await service.newOrg();
    const list = `${await at(own)}/customizations`;
    const create = (more: Readonly<Record<string, unknown>>) =>
      own.admin.post(list, { body: newCustomization({ ...more }) });
    const twice = await Promise.all([create({}), create({})]);
    expect(twice.map(({ status }) => status).toSorted()).toEqual([201, 409]);
    const [made] = (await own.admin.get(list)).body;
    expect(made.isDefault).toBe(true);
    expect((await create({ language: 'EN' })).body).toMatchObject({ errorCode: 'E0000183' });
    expect((await create({ language: 'de', isDefault: true })).body).toMatchObject({ errorCode: 'E0000182' });
    const german = (await create({ language: 'de' })).body;
    const put = (id: string, more: Readonly<Record<string, unknown>>) =>
      own.admin.put(`${list}/${id}`, { body: newCustomization(more) });
    expect((await put(german.id, { language: 'en' })).body).toMatchObject({ errorCode: 'E0000183' });
    expect((await put(german.id, { language: 'de', isDefault: true })).body).toMatchObject({ errorCode: 'E0000182' });
    expect((await put(made.id, { isDefault: false })).body).toMatchObject({ errorCode: 'E0000185' });
    expect((await own.admin.del(`${list}/${made.id}`)).body).toMatchObject({ errorCode: 'E0000184' });
    expect((await own.admin.del(list)).status).toBe(204);
    expect((await own.admin.get(list)).body).toEqual([]);
  });

  const LINK = '<a href="${activationLink}">x</a>';
  test.each<[string, object, string]>([
    ['a link that is missing', { body: '<p>Hello</p>' }, 'body: must contain ${activationLink}'],
    ['a link that nobody sees', { body: `<!-- ${LINK} --><p>Hello</p>` }, 'body: must contain ${activationLink}'],
    ['a link of another template', { body: '${resetPasswordLink}' }, 'body: ${resetPasswordLink} is not a variable'],
    ['an unknown variable', { subject: '${user.password}' }, 'subject: ${user.password} is not a variable'],
    ['the link in the subject', { subject: '${activationLink}' }, 'subject: must not contain ${activationLink}.'],
    ['a subject of two lines', { subject: 'a\r\nBcc: b@example.com' }, 'subject: must be one line'],
    ['a blank subject', { subject: ' ' }, 'subject: The field cannot be left blank'],
    ['a long subject', { subject: 'x'.repeat(256) }, 'subject: must be at most 255'],
    ['a long body', { body: LINK + 'x'.repeat(60_000) }, 'body: must be at most 60000'],
    ['a script', { body: `${LINK}<SCRIPT>1</SCRIPT>` }, 'body: must not contain scripts'],
    ['a handler', { body: `${LINK}<img src=x onerror=alert(1)>` }, 'body: must not contain scripts'],
    ['a directive', { body: `${LINK}#set($x = 1)` }, 'body: must not contain directives'],
    ['no language', { language: 'no language' }, 'language: must be a language tag'],
  ])('is refused with %s, and nothing is kept', async (_, more, cause) => {
    const list = `${await at(org)}/customizations`;
    const refused = await org.admin.post(list, { body: newCustomization({ ...more }) });
    expect(refused).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
    expect(causesIn(refused).some((text) => text.startsWith(cause))).toBe(true);
    expect((await org.admin.get(list)).body).toEqual([]);
  });

  test('is the business of administrators of the org', async () => {
    const list = `${await at(org)}/customizations`;
    const reader = await org.withRoles('READ_ONLY_ADMIN');
    expect((await reader.get(list)).status).toBe(200);
    for (const client of [reader, await org.withRoles('HELP_DESK_ADMIN')]) {
      expect((await client.post(list, { body: newCustomization() })).status).toBe(403);
      expect((await client.del(list)).status).toBe(403);
    }
  });
});

describe('mails', () => {
  test('say what the org says, in the reader’s language, else its default; and ours again without', async () => {
    const own = await service.newOrg();
    await customize(own, 'UserActivation', { language: 'en', subject: 'English' });
    await customize(own, 'UserActivation', { language: 'de', subject: 'Deutsch für ${user.profile.firstName}' });
    const subjects: string[] = [];
    for (const locale of ['de_CH', 'ja_JP', null]) {
      const mail = await invited(own, { firstName: 'Zoë', ...(locale === null ? {} : { locale }) });
      subjects.push(mail.subject);
      expect(mail.text).toContain('Dear Zoë,');
      expect(mail.text).toContain(`Begin here ${mail.url}`);
    }
    expect(subjects).toEqual(['Deutsch für Zoë', 'English', 'English']);
    await own.admin.del(`${await at(own)}/customizations`);
    expect((await invited(own)).subject).toBe('Activate your account at Test');
  });

  test('the link in it works', async () => {
    const own = await service.newOrg();
    await customize(own, 'UserActivation');
    const { url } = await invited(own);
    const page = await own.anonymous.get(new URL(url).pathname, { headers: { accept: 'text/html' } });
    expect([page.status, url.startsWith(`${own.baseUrl}/welcome/`)]).toEqual([200, true]);
  });

  test('what people wrote is text in them, and no link', async () => {
    const own = await service.newOrg();
    await customize(own, 'UserActivation', { subject: '${user.profile.firstName}' });
    const evil = await invited(own, { firstName: '<b>${activationLink}</b>', lastName: 'https://evil.example' });
    expect(evil.text).toContain('Dear <b>${activationLink}</b>,');
    expect(evil.subject).toBe('<b>${activationLink}</b>');
  });

  test('to super administrators say what we say', async () => {
    const own = await service.newOrg();
    await customize(own, 'ForgotPassword', { body: '${resetPasswordLink}', subject: 'Ours?' });
    const user = await own.createUser({ credentials: CREDENTIALS });
    const reset = async (): Promise<TestResponse> =>
      own.admin.post(`${userPath(user.id)}/lifecycle/reset_password?sendEmail=true`);
    await reset();
    expect((await mailTo(service, own, user)).subject).toBe('Ours?');
    await own.admin.post(`${userPath(user.id)}/roles`, { body: { type: 'SUPER_ADMIN' } });
    service.clock.advance(1_000);
    await reset();
    expect((await mailTo(service, own, user)).subject).toBe('Reset your password at Test');
  });
});
