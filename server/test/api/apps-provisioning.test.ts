import { describe, expect, test } from 'vitest';
import { fieldsOf, kindNamed, NAMED_KINDS, newAppOf, newSamlApp } from '../support/app-kinds.ts';
import { APPS, createApp, invalidField } from '../support/apps.ts';
import { useService } from '../support/use-service.ts';

const { service, org } = useService({ isShared: false });

const NOT_FOUND = { status: 404, body: { errorCode: 'E0000007' } };
const TOKEN = 'a-token-of-the-app-4711';
const connectionOf = ({ id }: { id: string }): string => `${APPS}/${id}/connections/default`;
const featuresOf = ({ id }: { id: string }): string => `${APPS}/${id}/features`;
const CONNECTION = { baseUrl: 'https://scim.example/v2', profile: { authScheme: 'TOKEN', token: TOKEN } };

async function provisioned(): Promise<{ id: string }> {
  const app = await createApp(org, newSamlApp());
  const answer = await org.admin.post(`${connectionOf(app)}?activate=true`, { body: CONNECTION });
  expect(answer.status, answer.text).toBe(200);
  return app;
}

describe('the connection', () => {
  test('is unknown, set, switched on and off, each with its event, and never shows its token', async () => {
    const app = await createApp(org, newSamlApp());
    const path = connectionOf(app);
    const self = { href: `${org.baseUrl}${path}`, hints: { allow: ['POST', 'GET'] } };
    const unknown = { status: 'UNKNOWN', profile: { authScheme: 'UNKNOWN' }, _links: { self } };
    expect((await org.admin.get(path)).body).toEqual(unknown);
    for (const action of ['activate', 'deactivate']) {
      expect(await org.admin.post(`${path}/lifecycle/${action}`)).toMatchObject(NOT_FOUND);
    }
    const set = await org.admin.post(path, { body: CONNECTION });
    const link = (action: string) => ({ href: `${self.href}/lifecycle/${action}`, hints: { allow: ['POST'] } });
    const shown = { authScheme: 'TOKEN', baseUrl: CONNECTION.baseUrl, profile: { authScheme: 'TOKEN' } };
    expect(set.body).toEqual({ ...shown, status: 'DISABLED', _links: { self, activate: link('activate') } });
    for (let again = 0; again < 2; again += 1) {
      expect((await org.admin.post(`${path}/lifecycle/activate`)).status).toBe(204);
    }
    expect((await org.admin.get(path)).body).toEqual({
      ...shown,
      status: 'ENABLED',
      _links: { self, deactivate: link('deactivate') },
    });
    expect((await org.admin.post(`${path}/lifecycle/deactivate`)).status).toBe(204);
    expect((await org.admin.post(`${path}?activate=true`, { body: CONNECTION })).body.status).toBe('ENABLED');
    const events = await org.systemLog(`eventType eq "application.lifecycle.update" and target.id eq "${app.id}"`);
    expect(events.map(({ target }) => target[0].changeDetails.to['provisioning.status'])).toEqual([
      'DISABLED',
      'ENABLED',
      'DISABLED',
      'ENABLED',
    ]);
    const { rows } = await service.database.pool.query('select * from app_provisioning where app_id = $1', [app.id]);
    const seen = JSON.stringify([events, rows.map(({ sealed_token: _sealed, ...row }) => row), service.logged()]);
    expect(seen).not.toContain(TOKEN);
    expect(rows[0].sealed_token.includes(TOKEN)).toBe(false);
  });

  test('a token that is left out does not follow the address to another origin', async () => {
    const app = await provisioned();
    const path = connectionOf(app);
    const put = (baseUrl: string | null, token?: string) =>
      org.admin.post(path, { body: { baseUrl, profile: { authScheme: 'TOKEN', token } } });
    const refused = invalidField('profile.token');
    const evil = 'https://evil.example/v2';
    expect(await put(evil)).toMatchObject(refused);
    expect(await put('https://scim.example:8443/v2')).toMatchObject(refused);
    expect((await org.admin.get(path)).body.baseUrl).toBe(CONNECTION.baseUrl);
    expect(await put('https://SCIM.example/v3')).toMatchObject({ status: 200 });
    // A caller cannot avoid the rule by removing the address first.
    expect(await put(null)).toMatchObject({ status: 200 });
    expect(await put(evil)).toMatchObject(refused);
    expect(await put(evil, 'another')).toMatchObject({ status: 200 });
  });

  test('keeps its token where none is given, and needs a first one', async () => {
    const app = await createApp(org, newSamlApp());
    const profile = { authScheme: 'TOKEN' };
    expect(await org.admin.post(connectionOf(app), { body: { profile } })).toMatchObject(invalidField('profile.token'));
    await org.admin.post(connectionOf(app), { body: CONNECTION });
    const later = await org.admin.post(connectionOf(app), { body: { profile } });
    expect(later.body).not.toHaveProperty('baseUrl');
    const { rows } = await service.database.pool.query(
      'select sealed_token is not null as has from app_provisioning where app_id = $1',
      [app.id],
    );
    expect(rows).toEqual([{ has: true }]);
  });

  test.each([
    ['profile', {}],
    ['profile.authScheme', { profile: { token: 'x' } }],
    ['profile.authScheme', { profile: { authScheme: 'OAUTH2' } }],
    ['profile.token', { profile: { authScheme: 'TOKEN', token: 'a b' } }],
    ['baseUrl', { ...CONNECTION, baseUrl: 'http://scim.example' }],
    ['baseUrl', { ...CONNECTION, baseUrl: 'scim' }],
  ])('refuses %s: %j', async (field, body) => {
    const app = await createApp(org, newSamlApp());
    expect(await org.admin.post(connectionOf(app), { body })).toMatchObject(invalidField(field));
    expect((await org.admin.get(connectionOf(app))).body.status).toBe('UNKNOWN');
  });

  test.each(NAMED_KINDS)('%s has one where the table says so', async (_, kind) => {
    const app = await createApp(org, newAppOf(kind));
    const answer = await org.admin.post(connectionOf(app), { body: CONNECTION });
    expect(answer.status).toBe(kind.provisions ? 200 : 400);
  });
});

const PROVISIONING = {
  create: { lifecycleCreate: { status: 'DISABLED' } },
  update: {
    profile: { status: 'DISABLED' },
    lifecycleDeactivate: { status: 'DISABLED' },
    password: { status: 'DISABLED', seed: 'RANDOM', change: 'KEEP_EXISTING' },
  },
};
const INBOUND = {
  importSettings: {
    username: { userNameFormat: 'EMAIL', usernameFormat: 'EMAIL' },
    schedule: { status: 'DISABLED', fullImport: null, incrementalImport: null },
  },
  importRules: {
    userCreateAndMatch: {
      exactMatchCriteria: 'USERNAME',
      allowPartialMatch: true,
      autoConfirmPartialMatch: false,
      autoConfirmExactMatch: false,
      autoConfirmNewUsers: false,
      autoActivateNewUsers: false,
    },
  },
};

describe('features', () => {
  test('are there with the connection, as the contract records them', async () => {
    const app = await provisioned();
    const features = (await org.admin.get(featuresOf(app))).body;
    expect(features).toMatchObject([
      { name: 'USER_PROVISIONING', status: 'ENABLED', capabilities: PROVISIONING },
      { name: 'INBOUND_PROVISIONING', status: 'ENABLED', capabilities: INBOUND },
    ]);
    for (const feature of features) {
      const one = await org.admin.get(`${featuresOf(app)}/${feature.name}`);
      expect(one.body).toEqual(feature);
      expect(feature._links.self).toEqual({
        href: `${org.baseUrl}${featuresOf(app)}/${feature.name}`,
        hints: { allow: ['GET', 'PUT'] },
      });
    }
  });

  test('change by the part that is given', async () => {
    const app = await provisioned();
    const path = `${featuresOf(app)}/USER_PROVISIONING`;
    const password = { change: 'CHANGE', seed: 'SVC', status: 'ENABLED' };
    const put = await org.admin.put(path, { body: { update: { password } } });
    expect(put).toMatchObject({
      status: 200,
      body: { capabilities: { ...PROVISIONING, update: { ...PROVISIONING.update, password } } },
    });
    const create = { lifecycleCreate: { status: 'ENABLED' } };
    const later = await org.admin.put(path, { body: { create } });
    expect(later.body.capabilities).toEqual({ create, update: put.body.capabilities.update });
    expect((await org.admin.get(path)).body).toEqual(later.body);
    const events = await org.systemLog(`eventType eq "application.lifecycle.update" and target.id eq "${app.id}"`);
    expect(events).toHaveLength(3);
    await org.admin.put(path, { body: { create } });
    expect(await org.systemLog(`target.id eq "${app.id}" and eventType sw "application.lifecycle.u"`)).toHaveLength(3);
  });

  test('imports take a schedule and a format, by both names of it', async () => {
    const app = await provisioned();
    const path = `${featuresOf(app)}/INBOUND_PROVISIONING`;
    const schedule = {
      status: 'ENABLED',
      fullImport: { expression: '00 21 * * Mon,Thu,Fri,Sat', timezone: 'America/Los_Angeles' },
      incrementalImport: null,
    };
    const username = { usernameFormat: 'CUSTOM', userNameExpression: 'user.email' };
    const put = await org.admin.put(path, { body: { importSettings: { schedule, username }, importRules: {} } });
    expect(put.body.capabilities).toEqual({
      ...INBOUND,
      importSettings: { schedule, username: { ...username, userNameFormat: 'CUSTOM' } },
    });
    const off = await org.admin.put(path, {
      body: { importSettings: { schedule: { status: 'DISABLED', fullImport: null } } },
    });
    expect(off.body.capabilities.importSettings.schedule).toEqual(INBOUND.importSettings.schedule);
  });

  test.each<[string, object, string[]]>([
    ['USER_PROVISIONING', { create: 5 }, ['create']],
    [
      'USER_PROVISIONING',
      { create: { lifecycleCreate: { status: 'MAYBE' } }, update: { password: { seed: 'MINE' }, profile: [] } },
      ['create.lifecycleCreate.status', 'update.profile', 'update.password.seed'],
    ],
    [
      'INBOUND_PROVISIONING',
      { importSettings: { username: { userNameFormat: 'CUSTOM' }, schedule: { status: 'ENABLED' } } },
      ['importSettings.username.userNameExpression', 'importSettings.schedule.fullImport'],
    ],
    [
      'INBOUND_PROVISIONING',
      { importSettings: { schedule: { fullImport: { expression: 'now', timezone: 'Mars/Base' } } } },
      ['importSettings.schedule.fullImport.expression', 'importSettings.schedule.fullImport.timezone'],
    ],
    [
      'INBOUND_PROVISIONING',
      { importRules: { userCreateAndMatch: { allowPartialMatch: 'yes' } } },
      ['importRules.userCreateAndMatch.allowPartialMatch'],
    ],
  ])('%s refuses %j', async (name, body, fields) => {
    const app = await provisioned();
    const before = (await org.admin.get(featuresOf(app))).body;
    const refused = await org.admin.put(`${featuresOf(app)}/${name}`, { body });
    expect(refused).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
    expect(fieldsOf(refused)).toEqual(fields);
    expect((await org.admin.get(featuresOf(app))).body).toEqual(before);
  });

  test('there are none without an enabled connection, none of another name, and none of strangers', async () => {
    const app = await createApp(org, newAppOf(kindNamed('AUTO_LOGIN custom')));
    const refused = await org.admin.get(featuresOf(app));
    expect(refused).toMatchObject(invalidField('feature'));
    expect(refused.body.errorCauses).toEqual([{ errorSummary: 'Provisioning is not enabled for the app instance.' }]);
    expect(await org.admin.put(`${featuresOf(app)}/USER_PROVISIONING`, { body: {} })).toMatchObject(
      invalidField('feature'),
    );
    const ready = await provisioned();
    expect(await org.admin.get(`${featuresOf(ready)}/constructor`)).toMatchObject(NOT_FOUND);
    const other = await service.newOrg();
    expect(await other.admin.get(featuresOf(ready))).toMatchObject(NOT_FOUND);
    expect(await other.admin.post(connectionOf(ready), { body: CONNECTION })).toMatchObject(NOT_FOUND);
  });

  test('two changes at once lose nothing of each other', async () => {
    const app = await provisioned();
    const path = `${featuresOf(app)}/USER_PROVISIONING`;
    const create = { lifecycleCreate: { status: 'ENABLED' } };
    const update = { profile: { status: 'ENABLED' } };
    await Promise.all([org.admin.put(path, { body: { create } }), org.admin.put(path, { body: { update } })]);
    expect((await org.admin.get(path)).body.capabilities).toMatchObject({ create, update });
  });
});
