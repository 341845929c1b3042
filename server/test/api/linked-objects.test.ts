import { beforeAll, describe, expect, test } from 'vitest';
import { beforeTests } from '../support/before-tests.ts';
import { causesIn } from '../support/schemas.ts';
import type { TestOrg } from '../support/service.ts';
import { useService } from '../support/use-service.ts';
import { eventsOf, linksOf, userPath } from '../support/users.ts';

const { service, org } = useService();

const url = '/api/v1/meta/schemas/user/linkedObjects';
const side = (name: string, title = name) => ({ name, title, description: `${title} link property`, type: 'USER' });
const define = (one: TestOrg, primary: string, associated: string) =>
  one.admin.post(url, { body: { primary: side(primary), associated: side(associated) } });
const links = (id: string, name: string): string => `${userPath(id)}/linkedObjects/${name}`;
const linked = async (one: TestOrg, id: string, name: string): Promise<string[]> =>
  (await one.admin.get(links(id, name))).body.map(({ _links }: { _links: { self: { href: string } } }) =>
    String(_links.self.href.split('/').at(-1)),
  );

describe('definitions', () => {
  test('are made, read by either name, listed and deleted; the log tells it', async () => {
    const own = await service.newOrg();
    const made = await define(own, 'manager', 'subordinate');
    expect(made).toMatchObject({
      status: 201,
      body: {
        primary: side('manager'),
        associated: side('subordinate'),
        _links: { self: { href: `${own.baseUrl}${url}/manager` } },
      },
    });
    expect(await eventsOf(own, made)).toMatchObject([
      { eventType: 'directory.linked_object.create', target: [{ id: 'manager', type: 'LinkedObject' }] },
    ]);
    for (const name of ['manager', 'subordinate']) {
      expect((await own.admin.get(`${url}/${name}`)).body).toEqual(made.body);
    }
    await define(own, 'buddy', 'newcomer');
    expect((await own.admin.get(url)).body).toMatchObject([
      { primary: { name: 'buddy' } },
      { primary: { name: 'manager' } },
    ]);
    const gone = await own.admin.del(`${url}/subordinate`);
    expect(gone.status).toBe(204);
    expect(await eventsOf(own, gone)).toMatchObject([{ eventType: 'directory.linked_object.delete' }]);
    for (const answer of [await own.admin.get(`${url}/manager`), await own.admin.del(`${url}/manager`)]) {
      expect(answer).toMatchObject({
        status: 404,
        body: { errorCode: 'E0000007', errorSummary: 'Not found: Resource not found: manager (LinkedObject)' },
      });
    }
    expect(await define(own, 'manager', 'subordinate')).toMatchObject({ status: 201 });
  });

  test('no name means two: 409, saying which', async () => {
    const own = await service.newOrg();
    await define(own, 'manager', 'subordinate');
    for (const [primary, associated, sides] of [
      ['manager', 'other', ['primary']],
      ['other', 'manager', ['associated']],
      ['subordinate', 'manager', ['primary', 'associated']],
    ] as const) {
      const refused = await define(own, primary, associated);
      expect(refused).toMatchObject({
        status: 409,
        body: {
          errorCode: 'E0000127',
          errorSummary: 'Invalid linked objection definition. Linked object identifier is already in use.',
        },
      });
      expect(causesIn(refused)).toEqual(sides.map((one) => `Linked object identifier for ${one} is already in use.`));
      expect(await eventsOf(own, refused)).toEqual([]);
    }
  });

  test('of five at once, one is made', async () => {
    const own = await service.newOrg();
    const answers = await Promise.all(Array.from({ length: 5 }, () => define(own, 'one', 'two')));
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
      201, 409, 409, 409, 409,
    ]);
  });

  test.each([
    ['no side', {}],
    ['one side', { primary: side('a') }],
    ['one name twice', { primary: side('a'), associated: side('a') }],
    ['a digit first', { primary: side('1a'), associated: side('b') }],
    ['a blank title', { primary: { ...side('a'), title: ' ' }, associated: side('b') }],
    ['another type', { primary: { ...side('a'), type: 'GROUP' }, associated: side('b') }],
    ['no type', { primary: { name: 'a', title: 'A' }, associated: side('b') }],
    ['a name that is no text', { primary: { ...side('a'), name: 5 }, associated: side('b') }],
  ])('refuses %s', async (_, body) => {
    expect(await org.admin.post(url, { body })).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
  });

  test.each(['constructor', 'toString'])('%s is a name, and an unknown one until it is defined', async (name) => {
    const own = await service.newOrg();
    expect(await own.admin.get(`${url}/${name}`)).toMatchObject({ status: 404 });
    expect(await define(own, name, 'other')).toMatchObject({ status: 201 });
    expect((await own.admin.get(`${url}/${name}`)).body.primary.name).toBe(name);
  });

  test('belong to their org, and to who manages schemas', async () => {
    const other = await service.newOrg();
    await define(other, 'mentor', 'mentee');
    expect(await org.admin.get(`${url}/mentor`)).toMatchObject({ status: 404 });
    expect(await org.admin.del(`${url}/mentor`)).toMatchObject({ status: 404 });
    const reader = await other.withRoles('READ_ONLY_ADMIN');
    expect(await reader.get(url)).toMatchObject({ status: 200 });
    expect(await reader.del(`${url}/mentor`)).toMatchObject({ status: 403 });
    expect(await other.admin.get(`${url}/mentor`)).toMatchObject({ status: 200 });
  });
});

describe('links', () => {
  const own = beforeTests(() => service.newOrg());
  beforeAll(async () => {
    await define(own, 'manager', 'subordinate');
  });
  const newUser = async (): Promise<string> => (await own.createUser()).id;
  const link = (associated: string, primary: string, name = 'manager') =>
    own.admin.put(`${links(associated, name)}/${primary}`);

  test('one primary, many associated; another primary takes the place of the first', async () => {
    const [boss, one, two, newBoss] = [await newUser(), await newUser(), await newUser(), await newUser()];
    const made = await link(one, boss);
    expect(made.status).toBe(204);
    expect(await eventsOf(own, made)).toMatchObject([
      {
        eventType: 'user.account.update_profile',
        target: [
          {
            id: one,
            changeDetails: { from: { 'linkedObjects.manager': null }, to: { 'linkedObjects.manager': boss } },
          },
        ],
      },
    ]);
    await link(two, boss);
    expect(await linked(own, boss, 'subordinate')).toEqual([one, two].toSorted());
    expect(await linked(own, one, 'manager')).toEqual([boss]);
    expect(await linked(own, boss, 'manager')).toEqual([]);
    expect(await linked(own, one, 'subordinate')).toEqual([]);
    const again = await link(one, boss);
    expect(again.status).toBe(204);
    expect(await eventsOf(own, again)).toEqual([]);
    await link(one, newBoss);
    expect(await linked(own, one, 'manager')).toEqual([newBoss]);
    expect(await linked(own, boss, 'subordinate')).toEqual([two]);
  });

  test('by login too, and the answer names the page', async () => {
    const [boss, one] = [await own.createUser(), await own.createUser()];
    const path = `${links(one.profile.login, 'manager')}/${encodeURIComponent(boss.profile.login)}`;
    expect(await own.admin.put(path)).toMatchObject({ status: 204 });
    const page = await own.admin.get(links(boss.profile.login, 'subordinate'));
    expect(page.body).toEqual([{ _links: { self: { href: `${own.baseUrl}/api/v1/users/${one.id}` } } }]);
    expect(linksOf(page)['self']).toBe(`${links(boss.profile.login, 'subordinate')}?limit=1000`);
  });

  test('in pages', async () => {
    const boss = await newUser();
    const people = await Promise.all(Array.from({ length: 5 }, newUser));
    for (const id of people) await link(id, boss);
    const seen: string[] = [];
    for (let path: string | undefined = `${links(boss, 'subordinate')}?limit=2`; path !== undefined; ) {
      const page = await own.admin.get(path);
      seen.push(...page.body.map(({ _links }: { _links: { self: { href: string } } }) => _links.self.href.slice(-20)));
      path = linksOf(page)['next'];
    }
    expect(seen).toEqual(people.toSorted());
    expect(await own.admin.get(`${links(boss, 'subordinate')}?limit=1001`)).toMatchObject({ status: 200 });
    expect(await own.admin.get(`${links(boss, 'subordinate')}?after=x`)).toMatchObject({ status: 400 });
  });

  test('a cursor belongs to one user and one relationship', async () => {
    const [boss, other, buddy] = [await newUser(), await newUser(), await newUser()];
    expect(await define(own, 'mentor', 'mentee')).toMatchObject({ status: 201 });
    for (const id of await Promise.all(Array.from({ length: 3 }, newUser))) await link(id, boss);
    const first = await own.admin.get(`${links(boss, 'subordinate')}?limit=1`);
    const next = linksOf(first)['next'] ?? '';
    expect(await own.admin.get(next)).toMatchObject({ status: 200 });
    const query = next.slice(next.indexOf('?'));
    for (const path of [links(other, 'subordinate'), links(boss, 'mentee'), links(buddy, 'mentee')]) {
      expect(await own.admin.get(`${path}${query}`), path).toMatchObject({ status: 400 });
    }
  });

  test('are taken away by the name of the primary; none to take is no error', async () => {
    const [boss, one] = [await newUser(), await newUser()];
    await link(one, boss);
    expect(await own.admin.del(links(one, 'subordinate'))).toMatchObject({ status: 404 });
    const gone = await own.admin.del(links(one, 'manager'));
    expect(gone.status).toBe(204);
    expect(await eventsOf(own, gone)).toMatchObject([{ eventType: 'user.account.update_profile' }]);
    const again = await own.admin.del(links(one, 'manager'));
    expect(again.status).toBe(204);
    expect(await eventsOf(own, again)).toEqual([]);
    expect(await linked(own, boss, 'subordinate')).toEqual([]);
  });

  test('end with either user, and with the definition', async () => {
    const [boss, one, two] = [await newUser(), await newUser(), await newUser()];
    await link(one, boss);
    await link(two, boss);
    for (let times = 0; times < 2; times += 1) await own.admin.del(userPath(two));
    expect(await linked(own, boss, 'subordinate')).toEqual([one]);
    for (let times = 0; times < 2; times += 1) await own.admin.del(userPath(boss));
    expect(await linked(own, one, 'manager')).toEqual([]);
    const other = await service.newOrg();
    await define(other, 'a', 'b');
    const [first, second] = [(await other.createUser()).id, (await other.createUser()).id];
    await other.admin.put(`${links(first, 'a')}/${second}`);
    await other.admin.del(`${url}/a`);
    expect(await other.admin.get(links(first, 'a'))).toMatchObject({ status: 404 });
    await define(other, 'a', 'b');
    expect(await linked(other, first, 'a')).toEqual([]);
  });

  test('a user cannot be its own primary', async () => {
    const one = await newUser();
    expect(await link(one, one)).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
  });

  test('what is unknown, or of another org, is 404', async () => {
    const [boss, one] = [await newUser(), await newUser()];
    const stranger = (await org.createUser()).id;
    for (const answer of [
      await link(one, boss, 'nobody'),
      await link(one, boss, 'subordinate'),
      await link(stranger, boss),
      await link(one, stranger),
      await link(one, '00u00000000000000000'),
      await own.admin.get(links(one, 'nobody')),
      await own.admin.get(links(stranger, 'manager')),
      await own.admin.del(links(stranger, 'manager')),
      await own.admin.del(links(one, 'constructor')),
    ]) {
      expect(answer).toMatchObject({ status: 404, body: { errorCode: 'E0000007' } });
    }
  });

  test('only who manages users links them; users see their own', async () => {
    const boss = await newUser();
    const self = await own.withRoles();
    await link(self.userId, boss);
    expect((await self.get(links('me', 'manager'))).body).toHaveLength(1);
    expect(await self.get(links(boss, 'subordinate'))).toMatchObject({ status: 403 });
    expect(await self.put(`${links('me', 'manager')}/${self.userId}`)).toMatchObject({ status: 403 });
    expect(await self.del(links('me', 'manager'))).toMatchObject({ status: 403 });
    const helpDesk = await own.withRoles('USER_ADMIN');
    const superAdmin = own.adminUserId;
    expect(await helpDesk.put(`${links(superAdmin, 'manager')}/${boss}`)).toMatchObject({ status: 403 });
  });
});
