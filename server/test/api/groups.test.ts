import { describe, expect, test } from 'vitest';
import { createGroup, GROUPS, groupPath, newGroupName } from '../support/groups.ts';
import { useService } from '../support/use-service.ts';
import { eventsOf } from '../support/users.ts';

const { service, org } = useService({ isShared: false });

const NAME_TAKEN = {
  status: 400,
  body: {
    errorCode: 'E0000001',
    errorSummary: 'Api validation failed: name',
    errorCauses: [{ errorSummary: 'name: An object with this field already exists in the current organization' }],
  },
};
const GONE = { status: 404, body: { errorCode: 'E0000007' } };

describe('create', () => {
  test('answers the group with its links, and logs it', async () => {
    const profile = { name: newGroupName(), description: 'All who sail' };
    const created = await org.admin.post(GROUPS, { body: { profile } });
    const address = `${org.baseUrl}${GROUPS}/${created.body.id}`;
    expect(created).toMatchObject({ status: 200, headers: { etag: expect.stringMatching(/^W\/"[\da-f]{64}"$/) } });
    expect(created.body).toEqual({
      id: expect.stringMatching(/^00g[0-9A-Za-z]{17}$/),
      created: expect.stringMatching(/\.000Z$/),
      lastUpdated: created.body.created,
      lastMembershipUpdated: created.body.created,
      objectClass: ['svc:user_group'],
      type: 'SVC_GROUP',
      profile,
      _links: {
        logo: [],
        owners: { href: `${address}/owners` },
        users: { href: `${address}/users` },
        apps: { href: `${address}/apps` },
      },
    });
    expect(await eventsOf(org, created)).toMatchObject([
      {
        eventType: 'group.lifecycle.create',
        target: [
          {
            id: created.body.id,
            type: 'UserGroup',
            displayName: profile.name,
            changeDetails: { from: {}, to: { profile } },
          },
        ],
      },
    ]);
  });

  test('a description that is left out reads as null', async () => {
    const { id } = await createGroup(org);
    expect((await org.admin.get(groupPath(id))).body.profile.description).toBeNull();
  });

  test('blanks around the name are no part of it, and texts are as they were written', async () => {
    const group = await createGroup(org, { name: '  Cafe\u0301 au lait ', description: 'e\u0301' });
    expect(group.profile).toMatchObject({ name: 'Cafe\u0301 au lait', description: 'e\u0301' });
  });

  test('a name is one per org, whatever its case and width, and free in another', async () => {
    const { profile } = await createGroup(org, { name: 'Sales Team' });
    const other = await service.newOrg();
    for (const name of [profile.name, 'SALES TEAM', 'ｓales team', ' sales team ']) {
      expect(await org.admin.post(GROUPS, { body: { profile: { name } } })).toMatchObject(NAME_TAKEN);
    }
    expect((await other.admin.post(GROUPS, { body: { profile } })).status).toBe(200);
    expect(await org.admin.post(GROUPS, { body: { profile: { name: 'everyone' } } })).toMatchObject(NAME_TAKEN);
  });

  test('names of the greatest length are told apart by their ends', async () => {
    const long = 'ﷺ'.repeat(254);
    await createGroup(org, { name: `${long}a` });
    await createGroup(org, { name: `${long}b` });
    expect(await org.admin.post(GROUPS, { body: { profile: { name: `${long}A` } } })).toMatchObject(NAME_TAKEN);
  });

  test.each([
    [{}],
    [{ name: '' }],
    [{ name: '   ' }],
    [{ name: null }],
    [{ name: 5 }],
    [{ name: ['a'] }],
    [{ name: 'x'.repeat(256) }],
    [{ name: 'a\u0000b' }],
    [{ name: 'fine', description: 5 }],
    [{ name: 'fine', description: 'x'.repeat(1_025) }],
    [{ name: 'fine', unheardOf: 'x' }],
    [{ name: 'fine', constructor: 'x' }],
    [{ name: 'fine', toString: 'x' }],
  ])('refuses the profile %j with one cause, and makes none', async (profile) => {
    const before = (await org.admin.get(GROUPS)).body.length;
    const refused = await org.admin.post(GROUPS, { body: { profile } });
    expect(refused).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
    expect(refused.body.errorCauses).toHaveLength(1);
    expect((await org.admin.get(GROUPS)).body).toHaveLength(before);
  });

  test('a member called __proto__ is a name like any other, and unknown', async () => {
    const raw = '{"profile":{"name":"proto","__proto__":"x"}}';
    const refused = await org.admin.post(GROUPS, { raw, headers: { 'content-type': 'application/json' } });
    expect(refused).toMatchObject({ status: 400, body: { errorCode: expect.stringMatching(/^E000000[13]$/) } });
  });

  test('names every fault of a profile at once', async () => {
    const profile = { name: '', description: 5, unheardOf: 'x' };
    const refused = await org.admin.post(GROUPS, { body: { profile } });
    expect(refused.body).toMatchObject({ errorSummary: 'Api validation failed: profile' });
    expect(refused.body.errorCauses).toHaveLength(3);
  });

  test.each([{}, { profile: 'x' }, { profile: null }, { profile: [] }])('refuses the body %j', async (body) => {
    expect(await org.admin.post(GROUPS, { body })).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
  });

  test('a type cannot be chosen', async () => {
    const body = { type: 'APP_GROUP', profile: { name: newGroupName() } };
    const { id } = (await org.admin.post(GROUPS, { body })).body;
    expect((await org.admin.get(groupPath(id))).body.type).toBe('SVC_GROUP');
  });

  test('a repeated Idempotency-Key makes one', async () => {
    const options = { body: { profile: { name: newGroupName() } }, headers: { 'idempotency-key': 'create-group-1' } };
    const [first, second] = [await org.admin.post(GROUPS, options), await org.admin.post(GROUPS, options)];
    expect(second).toMatchObject({ status: 200, body: { id: first.body.id } });
  });

  test('of many who take one name at once, one gets it', async () => {
    const name = newGroupName();
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => org.admin.post(GROUPS, { body: { profile: { name } } })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 200)) expect(answer).toMatchObject(NAME_TAKEN);
  });
});

describe('replace', () => {
  test('the profile is what the body says, all of it', async () => {
    const group = await createGroup(org, { description: 'before' });
    service.clock.advance(2_000);
    const profile = { name: newGroupName() };
    const replaced = await org.admin.put(groupPath(group.id), { body: { profile } });
    expect(replaced).toMatchObject({
      status: 200,
      body: { id: group.id, created: group.created, profile: { ...profile, description: null } },
    });
    expect(Date.parse(replaced.body.lastUpdated)).toBeGreaterThan(Date.parse(group.lastUpdated));
    expect(replaced.body.lastMembershipUpdated).toBe(group.lastMembershipUpdated);
    expect((await org.admin.get(groupPath(group.id))).body).toEqual(replaced.body);
    expect(await eventsOf(org, replaced)).toMatchObject([
      {
        eventType: 'group.profile.update',
        target: [{ changeDetails: { from: { profile: { description: 'before' } }, to: { profile } } }],
      },
    ]);
  });

  test('what changes nothing leaves no event and no new date', async () => {
    const group = await createGroup(org, { description: 'same' });
    service.clock.advance(2_000);
    const { profile } = group;
    const replaced = await org.admin.put(groupPath(group.id), { body: { profile } });
    expect(replaced).toMatchObject({ status: 200, body: group });
    expect(await eventsOf(org, replaced)).toEqual([]);
  });

  test('the name of another group is refused, the own in other letters is not', async () => {
    const { profile: taken } = await createGroup(org);
    const group = await createGroup(org);
    expect(await org.admin.put(groupPath(group.id), { body: { profile: taken } })).toMatchObject(NAME_TAKEN);
    const profile = { name: group.profile.name.toUpperCase() };
    const replaced = await org.admin.put(groupPath(group.id), { body: { profile } });
    expect(replaced).toMatchObject({ status: 200, body: { profile } });
  });

  test('a name that is given up is free at once', async () => {
    const group = await createGroup(org);
    const { name } = group.profile;
    await org.admin.put(groupPath(group.id), { body: { profile: { name: newGroupName() } } });
    expect((await createGroup(org, { name })).profile.name).toBe(name);
  });

  test('a condition that no longer holds is 412, and nothing is lost', async () => {
    const group = await createGroup(org);
    const { headers } = await org.admin.get(groupPath(group.id));
    const condition = { 'if-match': String(headers['etag']) };
    const put = (description: string) =>
      org.admin.put(groupPath(group.id), { body: { profile: { ...group.profile, description } }, headers: condition });
    const answers = await Promise.all(['one', 'two', 'three', 'four'].map(put));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 412, 412, 412]);
    const kept = answers.find(({ status }) => status === 200);
    expect((await org.admin.get(groupPath(group.id))).body).toEqual(kept?.body);
    expect(answers.find(({ status }) => status === 412)?.body.errorCode).toBe('E0000231');
    const invalid = await org.admin.del(groupPath(group.id), { headers: { 'if-match': 'W/"' } });
    expect(invalid).toMatchObject({ status: 400, body: { errorCode: 'E0000242' } });
    expect((await org.admin.del(groupPath(group.id), { headers: condition })).status).toBe(412);
  });

  test('an unknown group is 404', async () => {
    const body = { profile: { name: newGroupName() } };
    expect(await org.admin.put(groupPath('00g00000000000000000'), { body })).toMatchObject(GONE);
  });
});

describe('delete', () => {
  test('what is deleted is gone, its name is free, and the event tells what was', async () => {
    const group = await createGroup(org, { description: 'short-lived' });
    const deleted = await org.admin.del(groupPath(group.id));
    expect(deleted.status).toBe(204);
    for (const path of ['', '/users', '/owners', '/apps']) {
      expect(await org.admin.get(`${groupPath(group.id)}${path}`)).toMatchObject(GONE);
    }
    expect(await org.admin.del(groupPath(group.id))).toMatchObject(GONE);
    expect(await eventsOf(org, deleted)).toMatchObject([
      {
        eventType: 'group.lifecycle.delete',
        target: [{ id: group.id, changeDetails: { from: { profile: { description: 'short-lived' } }, to: {} } }],
      },
    ]);
    await createGroup(org, { name: group.profile.name });
  });

  test('at once with a replace: one of the two is first, none is a fault', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { id } = await createGroup(org);
      const body = { profile: { name: newGroupName() } };
      const [deleted, replaced] = await Promise.all([
        org.admin.del(groupPath(id)),
        org.admin.put(groupPath(id), { body }),
      ]);
      expect(deleted.status).toBe(204);
      expect([200, 404]).toContain(replaced.status);
      expect(await org.admin.get(groupPath(id))).toMatchObject(GONE);
    }
  });
});
