import { beforeAll, describe, expect, test } from 'vitest';
import { APPS, webApp } from '../support/apps.ts';
import { newRule, RULES } from '../support/group-rules.ts';
import { createGroup, GROUPS } from '../support/groups.ts';
import { IAM_ROLES, RESOURCE_SETS } from '../support/roles.ts';
import { changeAttributes, USER_TYPES } from '../support/schemas.ts';
import { newProfile } from '../support/service.ts';
import { useService } from '../support/use-service.ts';

/** This file tests attacks 30, 31, 32 and 35 (docs/security-rows.md), mostly on resources other than users. */
const { service, org } = useService({ maximumConnections: 20 });
let groupId: string;

beforeAll(async () => {
  groupId = (await createGroup(org)).id;
});

interface Named {
  readonly path: string;
  readonly body: (name: string) => unknown;
  readonly alike: readonly string[];
}

const inSchema = { title: 'T', type: 'USER' };

const NAMED: Readonly<Record<string, Named>> = {
  group: { path: GROUPS, body: (name) => ({ profile: { name } }), alike: ['straße ﬁ', 'STRASSE FI', ' Straße Fi '] },
  groupRule: { path: RULES, body: (name) => newRule([groupId], 'true', { name }), alike: ['Straße Fi'] },
  customRole: {
    path: IAM_ROLES,
    body: (label) => ({ label, description: 'made for a test', permissions: ['svc.users.read'] }),
    alike: ['Straße Fi'],
  },
  resourceSet: {
    path: RESOURCE_SETS,
    body: (label) => ({ label, description: 'made for a test', resources: [`${org.baseUrl}/api/v1/users`] }),
    alike: ['Straße Fi'],
  },
};

/** Resources whose unique names may contain fewer kinds of characters than the names above. */
const WORDS: Readonly<Record<string, Omit<Named, 'alike'>>> = {
  userType: { path: USER_TYPES, body: (name) => ({ name, displayName: name }) },
  linkedObject: {
    path: '/api/v1/meta/schemas/user/linkedObjects',
    body: (name) => ({
      primary: { ...inSchema, name: `${name}One` },
      associated: { ...inSchema, name: `${name}Two` },
    }),
  },
};

const REFUSED = [400, 409];

describe('row 30: a name that is taken, for groups in whatever letters', () => {
  test.each(Object.entries(NAMED))('of a %s', async (_, { alike, body, path }) => {
    expect((await org.admin.post(path, { body: body('Straße Fi') })).status).toBeLessThan(300);
    for (const name of alike) {
      const answer = await org.admin.post(path, { body: body(name) });
      expect([name, REFUSED.includes(answer.status)]).toEqual([name, true]);
    }
  });

  test('is none that another org has', async () => {
    const other = await service.newOrg();
    expect((await other.admin.post(GROUPS, { body: { profile: { name: 'Straße Fi' } } })).status).toBe(200);
  });
});

describe('row 31: the same made twenty times at once', () => {
  test.each([...Object.entries(NAMED), ...Object.entries(WORDS)])('is one %s', async (kind, { body, path }) => {
    const name = `Racer${kind}`;
    const answers = await Promise.all(Array.from({ length: 20 }, () => org.admin.post(path, { body: body(name) })));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status < 300)).toHaveLength(1);
    expect(statuses.filter((status) => status >= 300 && !REFUSED.includes(status))).toEqual([]);
  });

  test('of a value that no two may have, one user has it', async () => {
    await changeAttributes(org, { badge: { title: 'B', type: 'string', unique: true } });
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        org.admin.post('/api/v1/users', { body: { profile: newProfile({ badge: index % 2 === 0 ? 'X1' : 'x1' }) } }),
      ),
    );
    const statuses = answers.map(({ status }) => status).toSorted();
    expect(statuses).toEqual([200, ...Array.from({ length: 9 }, () => 400)]);
  });
});

describe('row 32: an id that was deleted', () => {
  test('is unknown for ever, and what is made under the same name has another', async () => {
    const makers: readonly (readonly [path: string, body: unknown, status: number])[] = [
      [GROUPS, { profile: { name: 'Comes back' } }, 204],
      [RULES, newRule([groupId], 'true', { name: 'Comes back' }), 202],
      [APPS, webApp({}, {}, { label: 'Comes back' }), 204],
      [USER_TYPES, { name: 'comesBack', displayName: 'Comes back' }, 204],
      [IAM_ROLES, { label: 'Comes back', description: 'again', permissions: ['svc.users.read'] }, 204],
    ];
    for (const [path, body, status] of makers) {
      const [first, second] = [await made(path, body, status), await made(path, body, status)];
      expect(second).not.toBe(first);
      for (const id of [first, second]) {
        expect(await org.admin.get(`${path}/${id}`)).toMatchObject({ status: 404, body: { errorCode: 'E0000007' } });
        expect((await org.admin.del(`${path}/${id}`)).status).toBe(404);
      }
    }
  });

  async function made(path: string, body: unknown, status: number): Promise<string> {
    const answer = await org.admin.post(path, { body });
    expect(answer.status, answer.text).toBeLessThan(300);
    const own = `${path}/${answer.body.id}`;
    if (path === APPS) await org.admin.post(`${own}/lifecycle/deactivate`);
    expect([path, (await org.admin.del(own)).status]).toEqual([path, status]);
    return answer.body.id;
  }
});

describe('row 35: attributes of groups and of users of apps that are called like something of JavaScript', () => {
  const NAMES = ['toString', 'constructor', 'hasOwnProperty', 'valueOf'];

  test.each(NAMES)('%s is one like all others', async (name) => {
    const app = (await org.admin.post(APPS, { body: webApp() })).body;
    const value = `v-${name}`;
    const profileOf = (given: string) => Object.fromEntries([[name, given]]);
    const schemas = ['/api/v1/meta/schemas/group/default', `/api/v1/meta/schemas/apps/${app.id}/default`];
    for (const schema of schemas) {
      expect(
        (await changeAttributes(org, { [name]: { title: 'T', type: 'string', maxLength: 40 } }, schema)).status,
      ).toBe(200);
    }
    const group = await createGroup(org, profileOf(value));
    expect(Object.entries(group.profile)).toContainEqual([name, value]);
    const search = encodeURIComponent(`profile.${name} eq "${value}"`);
    expect((await org.admin.get(`${GROUPS}?search=${search}`)).body).toMatchObject([{ id: group.id }]);
    expect(Object.hasOwn((await createGroup(org)).profile, name)).toBe(false);
    const user = await org.createUser();
    const assigned = await org.admin.post(`${APPS}/${app.id}/users`, {
      body: { id: user.id, scope: 'USER', credentials: { userName: 'a' }, profile: profileOf(value) },
    });
    expect(Object.entries(assigned.body.profile)).toContainEqual([name, value]);
    for (const schema of schemas) {
      const narrower = await changeAttributes(org, { [name]: { title: 'T', type: 'string', maxLength: 2 } }, schema);
      expect(narrower).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
    }
    expect((await org.admin.get(`${GROUPS}/${group.id}`)).body.profile).toEqual(group.profile);
  });
});
