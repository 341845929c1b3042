import { beforeAll, describe, expect, test } from 'vitest';
import {
  createClaim,
  createServerPath,
  DEFAULT_SERVER,
  missing,
  namesAt,
  newClaim,
  refusedWith,
} from '../support/authorization-servers.ts';
import { useService } from '../support/use-service.ts';
import { linksOf } from '../support/users.ts';

const { service, org } = useService();
let claims: string;

beforeAll(async () => {
  claims = `${await createServerPath(org)}/claims`;
});

const server = (): string => claims.replace('/claims', '');
const groups = { valueType: 'GROUPS', group_filter_type: 'STARTS_WITH', value: 'shop-' };
const systemClaim = async (name: string) =>
  (await org.admin.get(claims)).body.find((claim: { name: string }) => claim.name === name);

describe('create', () => {
  test('answers as the contract has it', async () => {
    const body = { alwaysIncludeInToken: true, claimType: 'RESOURCE', name: 'test', status: 'ACTIVE', value: 'cool' };
    const made = await org.admin.post(claims, { body: { ...body, valueType: 'EXPRESSION', conditions: {} } });
    const id = made.body.id;
    expect(made).toMatchObject({ status: 201, headers: { etag: expect.stringContaining('W/"') } });
    expect(made.body).toEqual({
      id: expect.stringMatching(/^ocl[0-9A-Za-z]{17}$/),
      ...body,
      valueType: 'EXPRESSION',
      conditions: { scopes: [] },
      system: false,
      _links: { self: { href: `${org.baseUrl}${claims}/${id}`, hints: { allow: ['GET', 'PUT', 'DELETE'] } } },
    });
    expect((await org.admin.get(`${claims}/${id}`)).body).toEqual(made.body);
  });

  test.each<[string, Readonly<Record<string, unknown>>]>([
    ['an expression', { value: 'String.toUpperCase(user.firstName) + ":" + app.clientId' }],
    ['groups by the beginning of their names', groups],
    ['groups by an expression of their names', { ...groups, group_filter_type: 'REGEX', value: '^shop-[a-z]{1,9}$' }],
    ['scopes', { conditions: { scopes: ['openid', 'email'] } }],
    ['an ID token', { claimType: 'IDENTITY', alwaysIncludeInToken: false }],
    ['nothing for now', { status: 'INACTIVE' }],
  ])('of %s', async (_, given) => {
    expect(await createClaim(org, server(), given)).toMatchObject(given);
  });

  test.each<[string, Readonly<Record<string, unknown>>]>([
    ['name: must not be sub, a claim', { name: 'sub' }],
    ['name: must not be iss, a claim', { name: 'iss', claimType: 'IDENTITY' }],
    ['claimType: must be one of', { claimType: 'BOTH' }],
    ['valueType: must not be SYSTEM', { valueType: 'SYSTEM' }],
    ['value: The field cannot be left blank', { value: null }],
    ['at position', { value: 'user.(' }],
    ['group_filter_type: must be one of', { valueType: 'GROUPS' }],
    ['value: must be a regular expression', { ...groups, group_filter_type: 'REGEX', value: '(' }],
    ['conditions.scopes: There is no scope car:drive.', { conditions: { scopes: ['openid', 'car:drive'] } }],
    ['name: An object with this field already exists', { name: 'email', claimType: 'IDENTITY' }],
  ])('refuses: %s', async (cause, given) => {
    expect(await org.admin.post(claims, { body: newClaim(given) })).toMatchObject(refusedWith(cause));
  });

  test('a name stands once per type of token; of two at once one is made', async () => {
    const body = newClaim({ name: 'twice' });
    const answers = await Promise.all([1, 2].map(() => org.admin.post(claims, { body })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 400]);
    expect(await createClaim(org, server(), { name: 'twice', claimType: 'IDENTITY' })).toMatchObject({ name: 'twice' });
  });
});

describe('list', () => {
  test('has those that each server has by itself, in one page, or in pages', async () => {
    const path = `${await createServerPath(org)}/claims`;
    const all = await org.admin.get(path);
    expect(linksOf(all).next).toBeUndefined();
    expect(all.body.map(({ name }: { name: string }) => name).toSorted()).toEqual(
      (
        'address birthdate email email_verified family_name gender given_name locale middle_name name nickname ' +
        'phone_number picture preferred_username profile sub updated_at website zoneinfo'
      ).split(' '),
    );
    const first = await org.admin.get(`${path}?limit=10`);
    const second = await org.admin.get(linksOf(first).next ?? '');
    expect([...first.body, ...second.body]).toEqual(all.body);
  });
});

describe('replace', () => {
  test('changes all, and nothing without an event', async () => {
    const own = await service.newOrg();
    const path = await createServerPath(own);
    const made = await createClaim(own, path);
    const single = `${path}/claims/${made.id}`;
    expect((await own.admin.put(single, { body: made })).body).toEqual(made);
    const body = { name: 'crews', claimType: 'IDENTITY', ...groups, conditions: { scopes: ['profile'] } };
    const changed = await own.admin.put(single, { body });
    expect(changed.body).toMatchObject({ ...body, id: made.id, status: 'ACTIVE' });
    const off = await own.admin.put(single, { body: { ...body, status: 'INACTIVE' } });
    expect(off.body).toMatchObject({ status: 'INACTIVE' });
    expect((await own.admin.put(single, { body })).body).toMatchObject({ status: 'INACTIVE' });
    expect(await own.admin.del(single)).toMatchObject({ status: 204 });
    const events = await own.systemLog('eventType sw "oauth2.claim."');
    expect(events.map(({ eventType }) => eventType)).toEqual([
      'oauth2.claim.created',
      'oauth2.claim.updated',
      'oauth2.claim.updated',
      'oauth2.claim.deleted',
    ]);
    for (const { target } of events) {
      expect(target).toMatchObject([{ type: 'AuthorizationServer' }, { type: 'Claim', id: made.id }]);
    }
  });

  test('keeps a scope that is gone meanwhile, and takes no other that is not there', async () => {
    const path = await createServerPath(org);
    const { body: scope } = await org.admin.post(`${path}/scopes`, { body: { name: 'gone' } });
    const made = await createClaim(org, path, { conditions: { scopes: ['gone'] } });
    await org.admin.del(`${path}/scopes/${scope.id}`);
    const single = `${path}/claims/${made.id}`;
    expect(await org.admin.put(single, { body: { ...made, value: 'user.login' } })).toMatchObject({ status: 200 });
    const body = { ...made, conditions: { scopes: ['gone', 'other'] } };
    expect(await org.admin.put(single, { body })).toMatchObject(refusedWith('There is no scope other.'));
  });

  test('of the system: whether and for which scopes may change, what it is may not; never deleted', async () => {
    const before = await systemClaim('address');
    const path = `${claims}/${before.id}`;
    expect(before).toMatchObject({ system: true, valueType: 'SYSTEM', conditions: { scopes: ['address'] } });
    expect(before).not.toHaveProperty('value');
    const recorded = {
      alwaysIncludeInToken: true,
      claimType: 'IDENTITY',
      conditions: { scopes: ['address'] },
      name: 'address',
      status: 'ACTIVE',
      valueType: 'SYSTEM',
    };
    expect(await org.admin.put(path, { body: recorded })).toMatchObject({ status: 200, body: recorded });
    for (const [member, value] of [
      ['name', 'place'],
      ['claimType', 'RESOURCE'],
      ['valueType', 'EXPRESSION'],
      ['value', 'user.city'],
    ] as const) {
      const body = { ...recorded, [member]: value };
      expect(await org.admin.put(path, { body })).toMatchObject(refusedWith(`${member}: cannot be changed`));
    }
    const body = { ...recorded, conditions: { scopes: ['nothing'] } };
    expect(await org.admin.put(path, { body })).toMatchObject(refusedWith('There is no scope nothing.'));
    expect(await org.admin.del(path)).toMatchObject(refusedWith('cannot be deleted'));
  });

  test('the subject of access tokens is shown, and stays', async () => {
    const sub = await systemClaim('sub');
    expect(sub).toMatchObject({
      claimType: 'RESOURCE',
      valueType: 'SYSTEM',
      value: '(appuser != null) ? appuser.userName : app.clientId',
      alwaysIncludeInToken: true,
    });
    const body = { ...sub, value: 'user.email' };
    expect(await org.admin.put(`${claims}/${sub.id}`, { body })).toMatchObject(refusedWith('cannot be changed'));
  });

  test('refuses an old tag, and what is not there', async () => {
    const path = `${claims}/${(await createClaim(org, server())).id}`;
    const headers = { 'if-match': String((await org.admin.get(path)).headers['etag']) };
    expect(await org.admin.put(path, { body: newClaim(), headers })).toMatchObject({ status: 200 });
    expect(await org.admin.put(path, { body: newClaim(), headers })).toMatchObject({ status: 412 });
    expect(await org.admin.del(path, { headers })).toMatchObject({ status: 412 });
    const gone = 'ocl00000000000000000';
    expect(await org.admin.get(`${claims}/${gone}`)).toMatchObject(missing(gone, 'OAuth2Claim'));
    expect(await org.admin.put(`${claims}/${gone}`, { body: newClaim() })).toMatchObject(missing(gone, 'OAuth2Claim'));
    expect(await org.admin.del(`${claims}/${gone}`)).toMatchObject(missing(gone, 'OAuth2Claim'));
  });

  test('a claim stands in its own server', async () => {
    const { id } = await createClaim(org, server(), { name: 'own' });
    expect(await org.admin.get(`${DEFAULT_SERVER}/claims/${id}`)).toMatchObject(missing(id, 'OAuth2Claim'));
    expect(await namesAt(org, `${DEFAULT_SERVER}/claims`)).not.toContain('own');
  });
});
