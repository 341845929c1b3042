import { beforeAll, describe, expect, test } from 'vitest';
import {
  createScope,
  createServerPath,
  DEFAULT_SERVER,
  missing,
  namesAt,
  newScope,
  refusedWith,
} from '../support/authorization-servers.ts';
import { useService } from '../support/use-service.ts';
import { linksOf } from '../support/users.ts';

const { service, org } = useService();
let scopes: string;

beforeAll(async () => {
  scopes = `${await createServerPath(org)}/scopes`;
});

const server = (): string => scopes.replace('/scopes', '');
const idAt = async (path: string, name: string): Promise<string> =>
  (await org.admin.get(path)).body.find((scope: { name: string }) => scope.name === name).id;

describe('create', () => {
  test('answers as the contract has it', async () => {
    const body = {
      name: 'test:something',
      displayName: 'test display name',
      description: 'test',
      consent: 'REQUIRED',
      default: false,
      metadataPublish: 'ALL_CLIENTS',
      optional: false,
    };
    const made = await org.admin.post(scopes, { body });
    const id = made.body.id;
    expect(made).toMatchObject({ status: 201, headers: { etag: expect.stringContaining('W/"') } });
    expect(made.body).toEqual({
      id: expect.stringMatching(/^scp[0-9A-Za-z]{17}$/),
      ...body,
      system: false,
      _links: { self: { href: `${org.baseUrl}${scopes}/${id}`, hints: { allow: ['GET', 'PUT', 'DELETE'] } } },
    });
    expect((await org.admin.get(`${scopes}/${id}`)).body).toEqual(made.body);
  });

  test('is private and without consent unless it says otherwise', async () => {
    const made = await createScope(org, server(), { name: 'quiet' });
    expect(made).toMatchObject({ consent: 'IMPLICIT', metadataPublish: 'NO_CLIENTS', optional: false, default: false });
    expect(made).not.toHaveProperty('displayName');
  });

  test.each([
    ['name: must contain visible ASCII', { name: 'a b' }],
    ['name: must not be *', { name: '*' }],
    ['name: svc, svc. and svc: belong', { name: 'svc.users.read' }],
    ['name: svc, svc. and svc: belong', { name: 'svc:x' }],
    ['name: svc, svc. and svc: belong', { name: 'svc' }],
    ['consent: must be one of', { consent: 'ALWAYS' }],
    ['metadataPublish: must be one of', { metadataPublish: 'SOME' }],
    ['name: An object with this field already exists', { name: 'openid' }],
  ])('refuses: %s', async (cause, given) => {
    expect(await org.admin.post(scopes, { body: newScope(given) })).toMatchObject(refusedWith(cause));
  });

  test('the same name stands in each server by itself; of two at once one is made', async () => {
    const other = await createServerPath(org);
    await createScope(org, other, { name: 'shared' });
    const body = newScope({ name: 'shared' });
    const answers = await Promise.all([1, 2].map(() => org.admin.post(scopes, { body })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 400]);
  });
});

describe('list', () => {
  test('pages, finds by name and filters', async () => {
    const path = await createServerPath(org);
    await createScope(org, path, { name: 'car:drive', consent: 'REQUIRED', optional: true });
    await createScope(org, path, { name: 'car:wash', displayName: 'Wash the car' });
    const all = await namesAt(org, `${path}/scopes`);
    expect(all).toHaveLength(9);
    const seen: string[] = [];
    for (let next: string | undefined = `${path}/scopes?limit=4`; next !== undefined; ) {
      const answer = await org.admin.get(next);
      seen.push(...answer.body.map(({ name }: { name: string }) => name));
      next = linksOf(answer).next;
    }
    expect(seen).toEqual(all);
    const found = async (query: string) => (await namesAt(org, `${path}/scopes?${query}`)).toSorted();
    const filtered = (filter: string) => found(`filter=${encodeURIComponent(filter)}`);
    expect(await found('q=CAR:')).toEqual(['car:drive', 'car:wash']);
    expect(await found('q=car&limit=1')).toHaveLength(1);
    expect(await filtered('system eq false')).toEqual(['car:drive', 'car:wash']);
    expect(await filtered('name sw "car" and consent eq "REQUIRED"')).toEqual(['car:drive']);
    expect(await filtered('displayName co "Wash"')).toEqual(['car:wash']);
    expect(await filtered('optional eq true or name eq "openid"')).toEqual(['car:drive', 'openid']);
  });

  test.each([
    ['nothing eq "x"', 'E0000053'],
    ['name eqq "x"', 'E0000053'],
    ['system eq "yes"', 'E0000053'],
  ])('refuses the filter %s', async (filter, errorCode) => {
    const path = `${scopes}?filter=${encodeURIComponent(filter)}`;
    expect(await org.admin.get(path)).toMatchObject({ status: 400, body: { errorCode } });
  });
});

describe('replace', () => {
  test('changes all, and nothing without an event', async () => {
    const own = await service.newOrg();
    const path = await createServerPath(own);
    const made = await createScope(own, path, { name: 'a', displayName: 'A', description: 'a' });
    const single = `${path}/scopes/${made.id}`;
    expect((await own.admin.put(single, { body: made })).body).toEqual(made);
    const changed = await own.admin.put(single, { body: { name: 'b', consent: 'FLEXIBLE', default: true } });
    expect(changed.body).toMatchObject({ id: made.id, name: 'b', consent: 'FLEXIBLE', default: true, optional: false });
    expect(changed.body).not.toHaveProperty('description');
    expect(await own.admin.del(single)).toMatchObject({ status: 204 });
    const events = await own.systemLog('eventType sw "oauth2.scope."');
    expect(events.map(({ eventType }) => eventType)).toEqual([
      'oauth2.scope.created',
      'oauth2.scope.updated',
      'oauth2.scope.deleted',
    ]);
    for (const { target } of events) {
      expect(target).toMatchObject([{ type: 'AuthorizationServer' }, { type: 'Scope', id: made.id }]);
    }
  });

  test('of the system: words may change, name and consent may not; never deleted', async () => {
    const path = `${scopes}/${await idAt(scopes, 'profile')}`;
    const before = (await org.admin.get(path)).body;
    expect(before).toMatchObject({ system: true, consent: 'IMPLICIT' });
    expect(before._links.self.hints.allow).toEqual(['GET', 'PUT']);
    const body = { ...before, displayName: 'You' };
    expect(await org.admin.put(path, { body })).toMatchObject({
      status: 200,
      body: { displayName: 'You', system: true },
    });
    expect(await org.admin.put(path, { body: { ...body, name: 'x' } })).toMatchObject(refusedWith('name: '));
    expect(await org.admin.put(path, { body: { ...body, consent: 'REQUIRED' } })).toMatchObject(
      refusedWith('consent: '),
    );
    expect(await org.admin.put(path, { body: { ...body, optional: true } })).toMatchObject(refusedWith('optional: '));
    expect(await org.admin.del(path)).toMatchObject(refusedWith('cannot be deleted'));
  });

  test('refuses a name that another has, an old tag, and what is not there', async () => {
    const [first, second] = [await createScope(org, server()), await createScope(org, server())];
    const path = `${scopes}/${second.id}`;
    expect(await org.admin.put(path, { body: { name: first.name } })).toMatchObject(refusedWith('already exists'));
    const headers = { 'if-match': String((await org.admin.get(path)).headers['etag']) };
    expect(await org.admin.put(path, { body: newScope(), headers })).toMatchObject({ status: 200 });
    expect(await org.admin.put(path, { body: newScope(), headers })).toMatchObject({ status: 412 });
    expect(await org.admin.del(path, { headers })).toMatchObject({ status: 412 });
    const gone = 'scp00000000000000000';
    expect(await org.admin.get(`${scopes}/${gone}`)).toMatchObject(missing(gone, 'OAuth2Scope'));
    expect(await org.admin.put(`${scopes}/${gone}`, { body: newScope() })).toMatchObject(missing(gone, 'OAuth2Scope'));
    expect(await org.admin.del(`${scopes}/${gone}`)).toMatchObject(missing(gone, 'OAuth2Scope'));
  });

  test("a scope stands in its own server, and in another org's not at all", async () => {
    const { id } = await createScope(org, server());
    expect(await org.admin.get(`${DEFAULT_SERVER}/scopes/${id}`)).toMatchObject(missing(id, 'OAuth2Scope'));
    expect(await org.admin.del(`${DEFAULT_SERVER}/scopes/${id}`)).toMatchObject(missing(id, 'OAuth2Scope'));
    const other = await service.newOrg();
    expect(await other.admin.get(`${DEFAULT_SERVER}/scopes/${id}`)).toMatchObject(missing(id, 'OAuth2Scope'));
    expect((await org.admin.get(`${scopes}/${id}`)).status).toBe(200);
  });
});
