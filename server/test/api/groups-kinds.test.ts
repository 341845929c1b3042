import { describe, expect, test } from 'vitest';
import { createApp } from '../support/apps.ts';
import { createGroup, everyoneOf, GROUPS, groupPath, newGroupName } from '../support/groups.ts';
import { startTestService } from '../support/service.ts';
import { useService } from '../support/use-service.ts';

const { service, org } = useService({ isShared: false });

const FORBIDDEN = { status: 403, body: { errorCode: 'E0000006' } };

describe('the group of everyone', () => {
  test('every org has one from the start, under its name', async () => {
    const own = await service.newOrg();
    const { body } = await own.admin.get(GROUPS);
    expect(body).toMatchObject([
      { type: 'BUILT_IN', profile: { name: 'Everyone', description: 'All users in your organization' } },
    ]);
    expect((await org.admin.get(groupPath(body[0].id))).status).toBe(404);
  });

  test('can be neither changed nor deleted', async () => {
    const { id, profile } = await everyoneOf(org);
    const body = { profile: { ...profile, description: 'mine' } };
    expect(await org.admin.put(groupPath(id), { body })).toMatchObject(FORBIDDEN);
    expect(await org.admin.del(groupPath(id))).toMatchObject(FORBIDDEN);
    expect((await everyoneOf(org)).profile).toEqual(profile);
  });

  test('an org that was made before there were groups has it by the migration', async () => {
    const { rows } = await service.database.pool.query(
      `select g.type, count(v.*)::integer as "indexed" from groups g
         join group_attribute_values v on v.org_id = g.org_id and v.group_id = g.id
       where g.org_id = $1 group by g.id, g.type having g.type = 'BUILT_IN'`,
      [org.id],
    );
    expect(rows).toEqual([{ type: 'BUILT_IN', indexed: 6 }]);
  });
});

describe('a group of an app', () => {
  async function appGroup(): Promise<string> {
    const { id } = await createGroup(org);
    const app = await createApp(org);
    const text = `update groups set type = 'APP_GROUP', source_id = $3 where org_id = $1 and id = $2`;
    await service.database.pool.query(text, [org.id, id, app.id]);
    return id;
  }

  test('is the app’s to change and to delete, and names it', async () => {
    const id = await appGroup();
    const { body } = await org.admin.get(groupPath(id));
    const source = { href: expect.stringContaining('/apps/0oa') };
    expect(body).toMatchObject({ type: 'APP_GROUP', _links: { source } });
    const replacement = { profile: { name: newGroupName() } };
    expect(await org.admin.put(groupPath(id), { body: replacement })).toMatchObject(FORBIDDEN);
    expect(await org.admin.del(groupPath(id))).toMatchObject(FORBIDDEN);
    const listed = (await org.admin.get(`${GROUPS}?expand=app&limit=200`)).body;
    const embedded = listed.find((group: { id: string }) => group.id === id)._embedded;
    expect(embedded.app).toMatchObject({ signOnMode: 'OPENID_CONNECT', id: body._links.source.href.split('/').at(-1) });
  });

  test('may have the name of another group', async () => {
    const id = await appGroup();
    const { profile } = (await org.admin.get(groupPath(id))).body;
    expect((await createGroup(org, { name: profile.name })).type).toBe('SVC_GROUP');
  });
});

test('the word of the namespace stands in types and classes', async () => {
  const other = await startTestService({ namespace: 'acme' });
  try {
    const group = await createGroup(other.org);
    expect(group).toMatchObject({ type: 'ACME_GROUP', objectClass: ['acme:user_group'] });
    const list = (filter: string) => other.org.admin.get(`${GROUPS}?search=${encodeURIComponent(filter)}`);
    expect((await list('type eq "ACME_GROUP"')).body).toMatchObject([{ id: group.id }]);
    expect((await list('type eq "SVC_GROUP"')).body).toEqual([]);
    expect((await list('type eq "NATIVE_GROUP"')).body).toEqual([]);
  } finally {
    await other.close();
  }
});
