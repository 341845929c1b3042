import { describe, expect, test } from 'vitest';
import { sampleOf } from '../../src/management/apps/modes/field-rules.ts';
import { fieldsOf, kindNamed, NAMED_KINDS, newAppOf, OTHER_KINDS } from '../support/app-kinds.ts';
import { APPS, createApp, invalidField } from '../support/apps.ts';
import { useService } from '../support/use-service.ts';

const { service, org } = useService();

describe.each(NAMED_KINDS)('%s', (_, kind) => {
  const hasTables = kind.mode !== 'OPENID_CONNECT';

  test('lives: created inactive, activated, replaced, deactivated, deleted; each with its event', async () => {
    const before = (await org.systemLog('eventType sw "application.lifecycle"')).length;
    const created = await org.admin.post(`${APPS}?activate=false`, { body: newAppOf(kind) });
    expect(created).toMatchObject({ status: 200, body: { status: 'INACTIVE', signOnMode: kind.mode } });
    const address = `${APPS}/${created.body.id}`;
    expect(created.body._links).toMatchObject({ activate: {}, delete: {} });
    await org.admin.post(`${address}/lifecycle/activate`);
    const replaced = await org.admin.put(address, { body: newAppOf(kind, { label: 'Other' }) });
    expect(replaced).toMatchObject({
      status: 200,
      body: { label: 'Other', status: 'ACTIVE', name: created.body.name },
    });
    expect(await org.admin.del(address)).toMatchObject({ status: 403, body: { errorCode: 'E0000056' } });
    await org.admin.post(`${address}/lifecycle/deactivate`);
    expect((await org.admin.del(address)).status).toBe(204);
    expect((await org.admin.get(address)).status).toBe(404);
    const events = (await org.systemLog('eventType sw "application.lifecycle"')).slice(before);
    expect(events.map(({ eventType }) => eventType.split('.').at(-1))).toEqual([
      'create',
      'activate',
      'update',
      'deactivate',
      'delete',
    ]);
    for (const { target } of events) {
      expect(target).toMatchObject([{ id: created.body.id, type: 'AppInstance', displayName: kind.title }]);
      expect(target[0].changeDetails).not.toBeNull();
    }
    expect(events[2].target[0].changeDetails).toMatchObject({ to: { label: 'Other' } });
  });

  test('its name says the mode, which may be left out where no other has it', async () => {
    const { signOnMode: _mode, ...unsaid } = newAppOf(kind);
    for (const body of [unsaid, { ...unsaid, signOnMode: null }]) {
      const response = await org.admin.post(APPS, { body });
      if (kind.naming.from !== 'fixed') {
        expect(response).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
        expect(fieldsOf(response)).toContain('signOnMode');
        continue;
      }
      const { name } = kind.naming;
      expect(response).toMatchObject({ status: 200, body: { name, signOnMode: kind.mode } });
      const replaced = await org.admin.put(`${APPS}/${response.body.id}`, { body: { ...body, label: 'Other' } });
      expect(replaced).toMatchObject({ status: 200, body: { label: 'Other', name, signOnMode: kind.mode } });
    }
  });

  test('sent back as it was answered, it stays as it is', async () => {
    const app = await createApp(org, newAppOf(kind));
    const again = await org.admin.put(`${APPS}/${app.id}`, { body: app });
    expect(again.status, again.text).toBe(200);
    const { lastUpdated: _before, ...shown } = app;
    if (shown.credentials.oauthClient?.client_secret !== undefined) {
      expect(again.body.credentials.oauthClient.client_secret).toBe(shown.credentials.oauthClient.client_secret);
    }
    expect(again.body).toMatchObject(shown);
  });

  test('stays of its mode and keeps its name', async () => {
    const app = await createApp(org, newAppOf(kind));
    const [other] = NAMED_KINDS.filter(([, { mode }]) => mode !== kind.mode).map(([, one]) => one);
    if (other === undefined) throw new Error('there is one kind only');
    expect(await org.admin.put(`${APPS}/${app.id}`, { body: newAppOf(other) })).toMatchObject(
      invalidField('signOnMode'),
    );
    const renamed = await org.admin.put(`${APPS}/${app.id}`, { body: newAppOf(kind, { name: 'somebody_else' }) });
    expect(renamed.body).toMatchObject({ name: app.name, id: app.id });
  });

  test.runIf(hasTables)('needs what its table requires, and is told of all of it at once', async () => {
    const required = [
      ...Object.entries(kind.app ?? {}).flatMap(([name, { required: is }]) => (is ? [`settings.app.${name}`] : [])),
      ...Object.entries(kind.signOn ?? {}).flatMap(([name, { required: is }]) =>
        is ? [`settings.signOn.${name}`] : [],
      ),
    ];
    const refused = await org.admin.post(APPS, { body: newAppOf(kind, {}, { app: {}, signOn: {} }) });
    if (required.length === 0) expect(refused.status).toBe(200);
    else {
      expect(refused).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
      expect(fieldsOf(refused).toSorted()).toEqual(required.toSorted());
    }
  });

  test.runIf(hasTables)('takes all that its table has', async () => {
    const app = kind.app === null ? {} : sampleOf(kind.app, 'all');
    const { spCertificate: _none, ...signOn } = kind.signOn === null ? {} : sampleOf(kind.signOn, 'all');
    const own = { app, ...(kind.signOn === null ? {} : { signOn: { ...signOn, samlSignedRequestEnabled: false } }) };
    const made = await createApp(org, newAppOf(kind, {}, own));
    expect(made.settings.app).toMatchObject(app);
    if (kind.signOn !== null)
      expect(Object.keys(made.settings.signOn)).toEqual(expect.arrayContaining(Object.keys(signOn)));
  });

  test('members that nobody may set are not looked at', async () => {
    const forged = { id: '0oaforged', status: 'INACTIVE', created: '2001-01-01T00:00:00.000Z', orn: 'x', _links: {} };
    const app = await createApp(org, newAppOf(kind, { ...forged, universalLogout: { status: 'ENABLED' } }));
    expect(app).toMatchObject({ status: 'ACTIVE', universalLogout: null });
    expect([app.id, app.orn, app.created]).not.toContain('0oaforged');
    expect(app.created).not.toBe(forged.created);
  });
});

describe('names that the service makes', () => {
  test('are never given twice, whoever asks at once', async () => {
    const auto = kindNamed('AUTO_LOGIN custom');
    const made = await Promise.all(Array.from({ length: 8 }, () => org.admin.post(APPS, { body: newAppOf(auto) })));
    expect(made.map(({ status }) => status)).toEqual(made.map(() => 200));
    expect(new Set(made.map(({ body }) => body.name)).size).toBe(made.length);
  });

  test('hold letters and digits, also of a label without any', async () => {
    const app = await createApp(org, newAppOf(kindNamed('AUTO_LOGIN custom'), { label: '日本 <b>' }));
    expect(app.name).toMatch(new RegExp(`^${org.subdomain}_b_\\d+$`));
  });
});

describe('two at once', () => {
  test('replacements follow each other: the last one stands whole', async () => {
    const kind = kindNamed('BOOKMARK bookmark');
    const { id } = await createApp(org, newAppOf(kind));
    const bodies = Array.from({ length: 6 }, (_, index) =>
      newAppOf(kind, { label: `L${index}` }, { app: { url: `https://app.example.com/${index}` } }),
    );
    const answers = await Promise.all(bodies.map((body) => org.admin.put(`${APPS}/${id}`, { body })));
    expect(answers.map(({ status }) => status)).toEqual(bodies.map(() => 200));
    const { label, settings } = (await org.admin.get(`${APPS}/${id}`)).body;
    expect(settings.app.url).toBe(`https://app.example.com/${label.slice(1)}`);
  });

  test('a deletion and a replacement: the app is gone or the deletion was refused', async () => {
    const kind = kindNamed('BOOKMARK bookmark');
    const { id } = await createApp(org, newAppOf(kind));
    await org.admin.post(`${APPS}/${id}/lifecycle/deactivate`);
    const [removed, replaced] = await Promise.all([
      org.admin.del(`${APPS}/${id}`),
      org.admin.put(`${APPS}/${id}`, { body: newAppOf(kind) }),
    ]);
    expect(removed.status).toBe(204);
    expect([200, 404]).toContain(replaced.status);
    expect((await org.admin.get(`${APPS}/${id}`)).status).toBe(404);
  });
});

describe('what is no OAuth client', () => {
  test.each(OTHER_KINDS)('%s has no client credentials, scopes or roles, and gets no token', async (_, kind) => {
    const { id } = await createApp(org, newAppOf(kind));
    const notFound = { status: 404, body: { errorCode: 'E0000007' } };
    const grant = { issuer: org.baseUrl, scopeId: 'svc.users.read' };
    expect(await org.admin.post(`${APPS}/${id}/credentials/secrets`, { body: {} })).toMatchObject(notFound);
    expect(await org.admin.post(`${APPS}/${id}/grants`, { body: grant })).toMatchObject(notFound);
    const token = await org.anonymous.post('/oauth2/v1/token', {
      raw: `grant_type=client_credentials&client_id=${id}&client_secret=x&scope=svc.users.read`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(token).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
  });
});

test('apps of another org are not there', async () => {
  const other = await service.newOrg();
  const foreign = await createApp(other, newAppOf(kindNamed('SAML_2_0 custom')));
  const address = `${APPS}/${foreign.id}`;
  const notFound = { status: 404, body: { errorCode: 'E0000007' } };
  expect(await org.admin.get(address)).toMatchObject(notFound);
  expect(await org.admin.put(address, { body: newAppOf(kindNamed('SAML_2_0 custom')) })).toMatchObject(notFound);
  expect(await org.admin.post(`${address}/lifecycle/deactivate`)).toMatchObject(notFound);
  expect(await org.admin.del(address)).toMatchObject(notFound);
  expect((await other.admin.get(address)).body).toEqual(foreign);
});
