import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { newProfile } from '../support/service.ts';
import { useService } from '../support/use-service.ts';

/** This file tests several of the attacks in docs/security-rows.md. */
const { service, org } = useService();

describe('row 11: a link that is handed out bears the address of the org', () => {
  test('whatever a header claims', async () => {
    const other = await service.newOrg();
    const user = await org.createUser({ credentials: { password: { value: 'Correct-1-Horse' } } });
    for (const name of ['x-forwarded-host', 'x-host', 'forwarded', 'referer', 'origin']) {
      const headers = { [name]: name === 'forwarded' ? `host=${other.hostname}` : `https://${other.hostname}` };
      const path = `/api/v1/users/${user.id}/lifecycle/reset_password?sendEmail=false`;
      const { body } = await org.admin.post(path, { headers });
      expect(body.resetPasswordUrl.startsWith(`${org.baseUrl}/`)).toBe(true);
    }
  });
});

describe('row 29: what only the service sets is not taken from a body', () => {
  const attack = {
    id: '00uattacker',
    orgId: '00oattacker',
    org_id: '00oattacker',
    status: 'ACTIVE',
    revision: 99,
    created: '2000-01-01T00:00:00.000Z',
    lastLogin: '2000-01-01T00:00:00.000Z',
    isAdmin: true,
    roles: ['SUPER_ADMIN'],
    type: { id: 'otyattacker' },
    _links: { self: { href: 'https://evil.example' } },
    _embedded: {},
  };

  test('on create', async () => {
    const other = await service.newOrg();
    const body = { ...attack, orgId: other.id, org_id: other.id, profile: newProfile() };
    const created = await org.admin.post('/api/v1/users?activate=false', { body });
    if (created.status === 400) return expect(created.body.errorCode).toBe('E0000001');
    expect(created.body.id).not.toBe(attack.id);
    expect(created.body).toMatchObject({ status: 'STAGED', lastLogin: null });
    expect(created.text).not.toContain('evil.example');
    expect((await other.admin.get(`/api/v1/users/${created.body.id}`)).status).toBe(404);
    expect((await org.admin.get(`/api/v1/users/${created.body.id}/roles`)).body).toEqual([]);
    return undefined;
  });

  test.each(['POST', 'PUT'])('on %s', async (method) => {
    const user = await org.createUser({ query: '?activate=false' });
    const { type: _type, ...rest } = attack;
    const changed = await org.admin.send(method, `/api/v1/users/${user.id}`, {
      body: { ...rest, profile: user.profile },
    });
    expect(changed.status).toBe(200);
    const { lastUpdated: _lastUpdated, ...before } = user;
    expect((await org.admin.get(`/api/v1/users/${user.id}`)).body).toMatchObject({ ...before, status: 'STAGED' });
    expect((await org.admin.get(`/api/v1/users/${user.id}/roles`)).body).toEqual([]);
  });

  test('in a profile, names of the service and of JavaScript are attributes that no schema has', async () => {
    for (const name of ['id', 'orgId', 'isAdmin', 'status', 'toString', 'hasOwnProperty', 'valueOf', 'prototype']) {
      expect(
        await org.admin.post('/api/v1/users', { body: { profile: { ...newProfile(), [name]: 'x' } } }),
      ).toMatchObject({
        status: 400,
        body: { errorCode: 'E0000001' },
      });
    }
  });
});

describe('row 33: nobody vouches for the own address', () => {
  test('users change nothing that the schema keeps from them, nor mark an address as verified', async () => {
    const nobody = await org.withRoles();
    const own = `/api/v1/users/${nobody.userId}`;
    const before = (await org.admin.get(own)).body;
    for (const path of [own, '/api/v1/users/me']) {
      const body = { profile: { email: 'ceo@example.com' }, emailVerified: true };
      expect(await nobody.post(path, { body })).toMatchObject({ status: 403, body: { errorCode: 'E0000006' } });
      expect(await nobody.put(path, { body })).toMatchObject({ status: 403 });
    }
    expect((await org.admin.get(own)).body).toEqual(before);
  });
});

describe('row 35: schemas', () => {
  const schemaUrl = '/api/v1/meta/schemas/user/default';
  const headers = { 'content-type': 'application/json' };
  const definition = (name: string, members: string): string =>
    `{"definitions":{"custom":{"properties":{"${name}":${members}}}}}`;

  test('an attribute named __proto__ is refused, and harms nothing', async () => {
    const raw = definition('__proto__', '{"title":"T","type":"string"}');
    expect(await org.admin.post(schemaUrl, { raw, headers })).toMatchObject({ status: 400 });
    expect(Reflect.get({}, 'title')).toBeUndefined();
    expect(await org.admin.get(schemaUrl)).toMatchObject({ status: 200 });
    expect((await org.createUser()).id).toMatch(/^00u/);
  });

  test.each(['toString', 'constructor', 'hasOwnProperty'])(
    'an attribute named %s is one like all others',
    async (name) => {
      const raw = definition(name, '{"title":"T","type":"string","unique":true}');
      expect(await org.admin.post(schemaUrl, { raw, headers })).toMatchObject({ status: 200 });
      expect(Reflect.get({}, 'title')).toBeUndefined();
      const without = await org.createUser();
      expect(Object.hasOwn(without.profile, name)).toBe(false);
      const value = `v-${name}`;
      const user = await org.createUser({ profile: { [name]: value } });
      expect(Object.entries(user.profile)).toContainEqual([name, value]);
      const search = encodeURIComponent(`profile.${name} eq "${value}"`);
      expect((await org.admin.get(`/api/v1/users?search=${search}`)).body).toMatchObject([{ id: user.id }]);
      expect(await org.admin.post('/api/v1/users', { body: { profile: newProfile({ [name]: value }) } })).toMatchObject(
        {
          status: 400,
          body: { errorCauses: [{ errorSummary: expect.stringMatching(`^${name}: An object with this field`) }] },
        },
      );
      expect(await org.admin.post(schemaUrl, { raw: definition(name, 'null'), headers })).toMatchObject({
        status: 200,
      });
      const { body } = await org.admin.get(`/api/v1/users/${user.id}`);
      expect(Object.hasOwn(body.profile, name)).toBe(false);
    },
  );

  test('a change that stored values do not allow is refused', async () => {
    const size = (members: object) =>
      org.admin.post(schemaUrl, { body: { definitions: { custom: { properties: { shoeSize: members } } } } });
    await size({ title: 'T', type: 'string' });
    const user = await org.createUser({ profile: { shoeSize: 'forty' } });
    for (const members of [{ maxLength: 2 }, { pattern: '[0-9]+' }, { enum: ['42'] }, { required: true }]) {
      expect(await size(members)).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
    }
    expect((await org.admin.get(`/api/v1/users/${user.id}`)).body.profile.shoeSize).toBe('forty');
  });
});

describe('the pages of attacks and findings', () => {
  const root = fileURLToPath(new URL('../../../', import.meta.url));
  const text = readFileSync(`${root}docs/security-rows.md`, 'utf8');
  const rows = [...text.matchAll(/^\| (\d+) \|/gm)].map((match) => Number(match[1]));

  test('the attack list has every row once', () => {
    expect(rows).toEqual(Array.from({ length: 105 }, (_, index) => index + 1));
  });

  test.each(['security-rows.md', 'review-findings.md'])('%s names tests that exist', (page) => {
    const told = readFileSync(`${root}docs/${page}`, 'utf8');
    const named = [...told.matchAll(/`((?:server|tools)\/[\w./-]+\.ts)`((?:,? "[^"]+")*)/g)];
    expect(named.length).toBeGreaterThan(40);
    for (const [, file = '', names = ''] of named) {
      expect([file, existsSync(`${root}${file}`)]).toEqual([file, true]);
      const source = readFileSync(`${root}${file}`, 'utf8');
      for (const [, name = ''] of names.matchAll(/"([^"]+)"/g)) {
        expect([file, name, source.includes(name)]).toEqual([file, name, true]);
      }
    }
  });
});
