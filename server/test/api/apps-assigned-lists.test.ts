import { describe, expect, test } from 'vitest';
import { kindNamed, newAppOf, newSamlApp } from '../support/app-kinds.ts';
import { APPS, createApp } from '../support/apps.ts';
import { createGroup } from '../support/groups.ts';
import type { TestOrg } from '../support/service.ts';
import { useService } from '../support/use-service.ts';

const { service, org } = useService({ isShared: false });

const BOOKMARK = kindNamed('BOOKMARK bookmark');
const list = async (query: Readonly<Record<string, string>>, of: TestOrg = org) =>
  of.admin.get(`${APPS}?${new URLSearchParams(query).toString()}`);
const labelsOf = async (query: Readonly<Record<string, string>>, of: TestOrg = org): Promise<string[]> => {
  const { body, status, text } = await list(query, of);
  expect(status, text).toBe(200);
  return body.map(({ label }: { label: string }) => label).toSorted();
};

describe('apps of a user and of a group', () => {
  test('are found, alone and with other conditions, and the user is embedded', async () => {
    const own = await service.newOrg();
    const user = await own.createUser();
    const group = await createGroup(own, {});
    const made: Record<string, string> = {};
    for (const label of ['direct', 'by group', 'neither']) {
      made[label] = (await createApp(own, newAppOf(BOOKMARK, { label }))).id;
    }
    const assigned = await own.admin.post(`${APPS}/${made['direct']}/users`, { body: { id: user.id, scope: 'USER' } });
    expect(assigned.status, assigned.text).toBe(200);
    await own.admin.put(`${APPS}/${made['by group']}/groups/${group.id}`, { body: {} });
    const byUser = `user.id eq "${user.id}"`;
    expect(await labelsOf({ filter: byUser }, own)).toEqual(['direct']);
    expect(await labelsOf({ filter: `group.id eq "${group.id}"` }, own)).toEqual(['by group']);
    expect(await labelsOf({ filter: `${byUser} or group.id eq "${group.id}"` }, own)).toEqual(['by group', 'direct']);
    expect(await labelsOf({ filter: `not (${byUser})` }, own)).toEqual(['by group', 'neither']);
    expect(await labelsOf({ filter: `${byUser} and status eq "INACTIVE"` }, own)).toEqual([]);
    expect(await labelsOf({ filter: 'user.id eq "00unobody"' }, own)).toEqual([]);
    const expanded = await list({ filter: byUser, expand: `user/${user.id}` }, own);
    expect(expanded.body[0]._embedded.user).toMatchObject({ id: user.id, scope: 'USER' });
    const single = await own.admin.get(`${APPS}/${made['direct']}?expand=user/${user.id}`);
    expect(single.body._embedded).toEqual(expanded.body[0]._embedded);
    expect((await own.admin.get(`${APPS}/${made['neither']}?expand=user/${user.id}`)).body).not.toHaveProperty(
      '_embedded',
    );
    expect(await labelsOf({ filter: byUser })).toEqual([]);
  });

  test.each([
    [{ expand: 'user/00u1' }, 'E0000001'],
    [{ expand: 'user/00u2', filter: 'user.id eq "00u1"' }, 'E0000001'],
    [{ filter: 'user.id sw "00u"' }, 'E0000031'],
    [{ filter: 'user.id pr' }, 'E0000031'],
    [{ filter: Array.from({ length: 11 }, (_, index) => `user.id eq "00u${index}"`).join(' or ') }, 'E0000001'],
    [{ includeNonDeleted: 'perhaps' }, 'E0000037'],
  ])('%j is refused with %s', async (query, errorCode) => {
    expect(await list(query)).toMatchObject({ status: 400, body: { errorCode } });
  });

  test('what a client asks for besides changes nothing', async () => {
    await createApp(org, newSamlApp());
    const inactive = await createApp(org, newAppOf(BOOKMARK));
    await org.admin.post(`${APPS}/${inactive.id}/lifecycle/deactivate`);
    const all = (await list({})).body;
    for (const given of ['includeNonDeleted', 'useOptimization', 'alwaysIncludeVpnSettings']) {
      expect((await list({ [given]: 'true' })).body).toEqual(all);
    }
    expect(all.map(({ id }: { id: string }) => id)).toContain(inactive.id);
  });
});

describe('an administrator of some apps', () => {
  test('sees, reads and changes those alone, whatever is theirs', async () => {
    const own = await service.newOrg();
    const [mine, theirs] = [await createApp(own, newSamlApp()), await createApp(own, newSamlApp())];
    const admin = await own.withRoles('APP_ADMIN');
    const [role] = (await own.admin.get(`/api/v1/users/${admin.userId}/roles`)).body;
    const target = `/api/v1/users/${admin.userId}/roles/${role.id}/targets/catalog/apps/${mine.name}/${mine.id}`;
    expect((await own.admin.put(target)).status).toBe(204);
    service.clock.advance(2_000);
    expect((await admin.get(APPS)).body.map(({ id }: { id: string }) => id)).toEqual([mine.id]);
    const forbidden = { status: 403, body: { errorCode: 'E0000006' } };
    const { kid } = theirs.credentials.signing;
    const asks: readonly (readonly [string, string, unknown?])[] = [
      ['GET', ''],
      ['PUT', '', newSamlApp()],
      ['POST', '/lifecycle/deactivate'],
      ['GET', '/credentials/keys'],
      ['GET', `/credentials/keys/${kid}`],
      ['POST', '/credentials/keys/generate?validityYears=2'],
      ['POST', `/credentials/keys/${kid}/clone?targetAid=${mine.id}`],
      ['GET', '/credentials/csrs'],
      ['POST', '/credentials/csrs', { subject: { commonName: 'a' } }],
      ['GET', '/sso/saml/metadata'],
      ['GET', '/features'],
      ['GET', '/connections/default'],
      ['POST', '/connections/default', { profile: { authScheme: 'TOKEN', token: 'x' } }],
      ['GET', '/credentials/jwks'],
      ['GET', '/credentials/secrets'],
      ['GET', '/grants'],
    ];
    for (const [method, path, body] of asks) {
      const answer = await admin.send(method, `${APPS}/${theirs.id}${path}`, body === undefined ? {} : { body });
      expect({ method, path, ...answer }).toMatchObject(forbidden);
      if (method !== 'GET') continue;
      expect({
        path,
        status: (await admin.get(`${APPS}/${mine.id}${path.replace(kid, mine.credentials.signing.kid)}`)).status,
      }).not.toMatchObject({ status: 403 });
    }
    const clone = `${APPS}/${mine.id}/credentials/keys/${mine.credentials.signing.kid}/clone?targetAid=${theirs.id}`;
    expect(await admin.post(clone)).toMatchObject(forbidden);
    expect(await admin.post(APPS, { body: newSamlApp() })).toMatchObject(forbidden);
    expect((await own.admin.get(`${APPS}/${theirs.id}`)).body).toEqual(theirs);
  });
});
