import { describe, expect, test } from 'vitest';
import { changeSettings } from '../support/org-settings.ts';
import { newProfile, type TestOrg } from '../support/service.ts';
import { newServiceClient, withScopes } from '../support/service-clients.ts';
import { useService } from '../support/use-service.ts';
import { eventsOf } from '../support/users.ts';

const { service, org } = useService();

const FEATURES = '/api/v1/features';
const GONE = { status: 404, body: { errorCode: 'E0000007' } };
const FORBIDDEN = { status: 403, body: { errorCode: 'E0000006' } };
const ERRORS = 'Single password error';
const NAMES = 'Current event names';

const idOf = async (of: TestOrg, name: string): Promise<string> => {
  const { body } = await of.admin.get(FEATURES);
  return body.find((feature: { name: string }) => feature.name === name).id;
};
const turn = async (of: TestOrg, name: string, action: string, query = '') =>
  of.admin.post(`${FEATURES}/${await idOf(of, name)}/${action}${query}`);

describe('a feature', () => {
  test('is listed and read, with the link to what it may become', async () => {
    const listed = await org.admin.get(FEATURES);
    expect(listed).toMatchObject({ status: 200, body: [{ name: ERRORS }, { name: NAMES }] });
    const [feature] = listed.body;
    const address = `${org.baseUrl}${FEATURES}/${feature.id}`;
    expect(feature).toEqual({
      id: expect.stringMatching(/^ftr[0-9A-Za-z]{17}$/),
      type: 'self-service',
      status: 'DISABLED',
      name: ERRORS,
      description: expect.stringMatching(/./),
      stage: { value: 'EA' },
      _links: {
        enable: { href: `${address}/enable`, hints: { allow: ['POST'] } },
        self: { href: address },
        dependents: { href: `${address}/dependents` },
        dependencies: { href: `${address}/dependencies` },
      },
    });
    expect(await org.admin.get(`${FEATURES}/${feature.id}`)).toMatchObject({ status: 200, body: feature });
    for (const kind of ['dependencies', 'dependents']) {
      expect(await org.admin.get(`${FEATURES}/${feature.id}/${kind}`)).toMatchObject({ status: 200, body: [] });
    }
  });

  test('has the same id for ever, another in each org', async () => {
    const other = await service.newOrg();
    expect(await idOf(org, NAMES)).toBe(await idOf(org, NAMES));
    const foreign = await idOf(other, NAMES);
    expect(foreign).not.toBe(await idOf(org, NAMES));
    for (const path of ['', '/dependencies', '/dependents']) {
      expect(await org.admin.get(`${FEATURES}/${foreign}${path}`)).toMatchObject(GONE);
    }
    expect(await org.admin.post(`${FEATURES}/${foreign}/enable`)).toMatchObject(GONE);
    expect((await other.admin.get(`${FEATURES}/${foreign}`)).body.status).toBe('DISABLED');
  });

  test('is enabled and disabled, in any case, each time with one event', async () => {
    const own = await service.newOrg();
    const enabled = await turn(own, ERRORS, 'ENABLE');
    expect(enabled).toMatchObject({ status: 200, body: { status: 'ENABLED', name: ERRORS } });
    expect(Object.keys(enabled.body._links)).toContain('disable');
    expect((await own.admin.get(`${FEATURES}/${enabled.body.id}`)).body).toEqual(enabled.body);
    expect(await eventsOf(own, enabled)).toMatchObject([
      {
        eventType: 'system.feature.enable',
        target: [
          {
            id: enabled.body.id,
            type: 'Feature',
            displayName: ERRORS,
            changeDetails: { from: { status: 'DISABLED' }, to: { status: 'ENABLED' } },
          },
        ],
      },
    ]);
    const again = await turn(own, ERRORS, 'enable', '?mode=force');
    expect(again).toMatchObject({ status: 200, body: { status: 'ENABLED' } });
    expect(await eventsOf(own, again)).toEqual([]);
    const disabled = await turn(own, ERRORS, 'disable');
    expect(disabled).toMatchObject({ status: 200, body: { status: 'DISABLED' } });
    expect(await eventsOf(own, disabled)).toMatchObject([{ eventType: 'system.feature.disable' }]);
  });

  test('enabled by several at once is enabled once', async () => {
    const own = await service.newOrg();
    const answers = await Promise.all([1, 2, 3, 4].map(() => turn(own, ERRORS, 'enable')));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(await own.systemLog('eventType eq "system.feature.enable"')).toHaveLength(1);
  });

  test('two that are switched at once are both switched', async () => {
    const own = await service.newOrg();
    await Promise.all([turn(own, ERRORS, 'enable'), turn(own, NAMES, 'enable')]);
    expect((await own.admin.get(FEATURES)).body).toMatchObject([{ status: 'ENABLED' }, { status: 'ENABLED' }]);
  });
});

describe('what it switches', () => {
  const refusedPassword = async (own: TestOrg) => {
    const body = { profile: newProfile(), credentials: { password: { value: 'short' } } };
    const refused = await own.admin.post('/api/v1/users', { body });
    expect(refused).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
    return refused.body.errorCauses;
  };

  test('Single password error: one cause, and one for each rule after it is disabled', async () => {
    const own = await service.newOrg();
    expect((await refusedPassword(own)).length).toBeGreaterThan(1);
    await turn(own, ERRORS, 'enable');
    expect(await refusedPassword(own)).toHaveLength(1);
    await turn(own, ERRORS, 'disable');
    expect((await refusedPassword(own)).length).toBeGreaterThan(1);
  });

  test("Current event names: the catalogue's name, the specification's as the older one, and back", async () => {
    const own = await service.newOrg();
    const specified = 'app.oauth2.as.authorize.token.grant_failure';
    const catalogued = 'app.oauth2.token.grant';
    const client = await newServiceClient(service, own, { scopes: ['users.read'] });
    const refusedToken = async () => {
      const refused = await client.requestToken('groups.read');
      expect(refused.status).toBe(400);
      const [{ eventType, legacyEventType }] = await eventsOf(own, refused);
      return [eventType, legacyEventType];
    };
    expect(await refusedToken()).toEqual([specified, catalogued]);
    await turn(own, NAMES, 'enable');
    expect(await refusedToken()).toEqual([catalogued, specified]);
    await turn(own, NAMES, 'disable');
    expect(await refusedToken()).toEqual([specified, catalogued]);
  });

  test('the same setting as `gatehouse org set`: what that turns is seen here', async () => {
    const own = await service.newOrg();
    await changeSettings(service, own, { passwordErrors: 'single' });
    expect((await own.admin.get(FEATURES)).body[0]).toMatchObject({ status: 'ENABLED' });
  });
});

describe('refused', () => {
  test.each(['ENABLED', 'lifecycle', 'dependencies', 'toString'])('the lifecycle %s', async (action) => {
    expect(await turn(org, ERRORS, action)).toMatchObject({ status: 404 });
    expect((await org.admin.get(FEATURES)).body[0].status).toBe('DISABLED');
  });

  test('another mode', async () => {
    expect(await turn(org, ERRORS, 'enable', '?mode=maybe')).toMatchObject({
      status: 400,
      body: { errorCode: 'E0000001' },
    });
  });

  test('ids of nothing', async () => {
    for (const id of ['ftr00000000000000000', 'constructor', org.id]) {
      expect(await org.admin.get(`${FEATURES}/${id}`)).toMatchObject(GONE);
      expect(await org.admin.post(`${FEATURES}/${id}/enable`)).toMatchObject(GONE);
    }
  });

  test('who only reads may not switch, and who has other roles may not even read', async () => {
    const reader = await org.withRoles('READ_ONLY_ADMIN');
    const id = await idOf(org, ERRORS);
    expect(await reader.get(FEATURES)).toMatchObject({ status: 200 });
    expect(await reader.post(`${FEATURES}/${id}/enable`)).toMatchObject(FORBIDDEN);
    const helper = await org.withRoles('HELP_DESK_ADMIN');
    expect(await helper.get(FEATURES)).toMatchObject(FORBIDDEN);
    expect(await org.anonymous.get(FEATURES)).toMatchObject({ status: 401 });
  });

  test('a service app without the scope', async () => {
    const id = await idOf(org, ERRORS);
    const client = await withScopes(service, org, ['features.read'], ['SUPER_ADMIN']);
    expect(await client.get(`${FEATURES}/${id}`)).toMatchObject({ status: 200 });
    expect(await client.post(`${FEATURES}/${id}/enable`)).toMatchObject({ status: 403 });
    const other = await withScopes(service, org, ['orgs.manage'], ['SUPER_ADMIN']);
    expect(await other.get(FEATURES)).toMatchObject({ status: 403 });
  });
});
