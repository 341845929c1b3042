import { beforeAll, describe, expect, test } from 'vitest';
import { beforeTests } from '../support/before-tests.ts';
import type { TestOrg } from '../support/service.ts';
import { useService } from '../support/use-service.ts';

const { service, org } = useService();

const url = '/api/v1/trustedOrigins';
let count = 0;

function newOrigin(given: Record<string, unknown> = {}): Record<string, unknown> {
  count += 1;
  return { name: `Origin ${count}`, origin: `https://app${count}.example.com`, scopes: [{ type: 'CORS' }], ...given };
}

async function create(of: TestOrg, given: Record<string, unknown> = {}) {
  const { body, status } = await of.admin.post(url, { body: newOrigin(given) });
  expect(status).toBe(200);
  return body;
}

describe('create', () => {
  test('answers the object with the links of its status, and logs it', async () => {
    const own = await service.newOrg();
    const origin = await create(own, { scopes: [{ type: 'CORS' }, { type: 'REDIRECT' }] });
    expect(origin).toMatchObject({
      id: expect.stringMatching(/^tos[0-9A-Za-z]{17}$/),
      status: 'ACTIVE',
      createdBy: own.adminUserId,
      _links: {
        self: { href: `${own.baseUrl}${url}/${origin.id}`, hints: { allow: ['GET', 'PUT', 'DELETE'] } },
        deactivate: { href: `${own.baseUrl}${url}/${origin.id}/lifecycle/deactivate`, hints: { allow: ['POST'] } },
      },
    });
    expect(await own.systemLog('eventType sw "security.trusted_origin"')).toMatchObject([
      { eventType: 'security.trusted_origin.create', target: [{ id: origin.id, type: 'TrustedOrigin' }] },
    ]);
  });

  test('a name and an origin are one per org, and free in another', async () => {
    const { name, origin } = await create(org);
    const other = await service.newOrg();
    for (const twin of [newOrigin({ name }), newOrigin({ origin })]) {
      const refused = await org.admin.post(url, { body: twin });
      expect(refused).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
      expect(refused.body.errorCauses[0].errorSummary).toContain('already exists in the current organization');
      await create(other, twin);
    }
  });

  test('a slash at the end is dropped, also where the origin is replaced: it is one origin', async () => {
    const text = String(newOrigin()['origin']);
    const made = await create(org, { origin: `${text}/` });
    expect(made.origin).toBe(text);
    const twin = await org.admin.post(url, { body: newOrigin({ origin: text }) });
    expect(twin).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
    const replaced = await org.admin.put(`${url}/${made.id}`, { body: { ...made, origin: `${text}/` } });
    expect(replaced).toMatchObject({ status: 200, body: { origin: text } });
  });

  test.each([
    { origin: 'https://*.example.com' },
    { origin: 'https://example.com/path' },
    { origin: 'null' },
    { origin: 5 },
    { name: '' },
    { scopes: [] },
    { scopes: [{ type: 'ALL' }] },
    { status: 'GONE' },
  ])('refuses %j', async (given) => {
    expect(await org.admin.post(url, { body: newOrigin(given) })).toMatchObject({
      status: 400,
      body: { errorCode: 'E0000001' },
    });
  });

  test('a repeated Idempotency-Key makes one', async () => {
    const options = { body: newOrigin(), headers: { 'idempotency-key': 'create-origin-1' } };
    const [first, second] = [await org.admin.post(url, options), await org.admin.post(url, options)];
    expect(second).toMatchObject({ status: 200, body: { id: first.body.id } });
  });
});

describe('get, replace, delete', () => {
  test('replace changes all of it', async () => {
    const own = await service.newOrg();
    const { id } = await create(own);
    const body = newOrigin({ scopes: [{ type: 'REDIRECT' }], status: 'INACTIVE' });
    const replaced = await own.admin.put(`${url}/${id}`, { body });
    expect(replaced).toMatchObject({ status: 200, body: { ...body, id } });
    expect((await own.admin.get(`${url}/${id}`)).body).toEqual(replaced.body);
    expect(replaced.body._links).toHaveProperty('activate');
  });

  test('what is deleted is gone', async () => {
    const { id } = await create(org);
    expect(await org.admin.del(`${url}/${id}`)).toMatchObject({ status: 204, text: '' });
    for (const method of ['GET', 'DELETE']) {
      expect(await org.admin.send(method, `${url}/${id}`)).toMatchObject({
        status: 404,
        body: { errorCode: 'E0000007', errorSummary: `Not found: Resource not found: ${id} (TrustedOrigin)` },
      });
    }
  });

  test("another org's answers as an unknown one", async () => {
    const other = await service.newOrg();
    const { id } = await create(other);
    for (const [method, path] of [
      ['GET', ''],
      ['PUT', ''],
      ['DELETE', ''],
      ['POST', '/lifecycle/activate'],
    ] as const) {
      const body = method === 'PUT' ? { body: newOrigin() } : {};
      expect(await org.admin.send(method, `${url}/${id}${path}`, body)).toMatchObject({ status: 404 });
    }
  });

  test('who only reads changes nothing', async () => {
    const reader = await org.withRoles('READ_ONLY_ADMIN');
    const { id } = await create(org);
    expect(await reader.get(`${url}/${id}`)).toMatchObject({ status: 200 });
    expect(await reader.del(`${url}/${id}`)).toMatchObject({ status: 403, body: { errorCode: 'E0000006' } });
  });
});

describe('lifecycle', () => {
  test('deactivate and activate answer the object; what is so already stays, without an event', async () => {
    const own = await service.newOrg();
    const { id } = await create(own);
    const path = `${url}/${id}/lifecycle`;
    for (const [action, status] of [
      ['deactivate', 'INACTIVE'],
      ['deactivate', 'INACTIVE'],
      ['activate', 'ACTIVE'],
      ['activate', 'ACTIVE'],
    ]) {
      expect(await own.admin.post(`${path}/${action}`)).toMatchObject({ status: 200, body: { id, status } });
    }
    const events = await own.systemLog('eventType sw "security.trusted_origin"');
    expect(events.map(({ eventType }) => eventType)).toEqual([
      'security.trusted_origin.create',
      'security.trusted_origin.deactivate',
      'security.trusted_origin.activate',
    ]);
  });

  test('CORS follows at once', async () => {
    const own = await service.newOrg();
    const { id, origin } = await create(own);
    const allowed = async () => {
      const { headers } = await own.anonymous.get('/.well-known/svc-organization', { headers: { origin } });
      return headers['access-control-allow-origin'];
    };
    expect(await allowed()).toBe(origin);
    await own.admin.post(`${url}/${id}/lifecycle/deactivate`);
    expect(await allowed()).toBeUndefined();
    await own.admin.post(`${url}/${id}/lifecycle/activate`);
    expect(await allowed()).toBe(origin);
    await own.admin.del(`${url}/${id}`);
    expect(await allowed()).toBeUndefined();
  });

  test('an origin without the scope CORS may not call', async () => {
    const own = await service.newOrg();
    const { origin } = await create(own, { scopes: [{ type: 'REDIRECT' }] });
    const { headers } = await own.anonymous.get('/.well-known/svc-organization', { headers: { origin } });
    expect(headers['access-control-allow-origin']).toBeUndefined();
  });
});

describe('list', () => {
  const own = beforeTests(() => service.newOrg());
  const made: string[] = [];

  beforeAll(async () => {
    for (const scopes of [[{ type: 'CORS' }], [{ type: 'CORS' }], [{ type: 'REDIRECT' }], [{ type: 'IFRAME_EMBED' }]]) {
      made.push((await create(own, { scopes })).id);
    }
    made.sort();
  });

  const linkOf = (link: string | string[] | undefined, rel: string): string | null => {
    const lines = Array.isArray(link) ? link : (link ?? '').split(/,\s*(?=<)/);
    const line = lines.find((text) => text.includes(`rel="${rel}"`));
    const href = /^<([^>]+)>/.exec(line ?? '')?.[1];
    return href === undefined ? null : href.slice(own.baseUrl.length);
  };

  test('four by two are exactly two pages, there and back', async () => {
    const first = await own.admin.get(`${url}?limit=2`);
    const second = await own.admin.get(linkOf(first.headers['link'], 'next') ?? '');
    expect([...first.body, ...second.body].map(({ id }) => id)).toEqual(made);
    expect(linkOf(second.headers['link'], 'next')).toBeNull();
    expect(linkOf(first.headers['link'], 'prev')).toBeNull();
    const back = await own.admin.get(linkOf(second.headers['link'], 'prev') ?? '');
    expect(back.body).toEqual(first.body);
    expect(linkOf(back.headers['link'], 'prev')).toBeNull();
  });

  test('q, and filter by status, type, name and origin', async () => {
    const idsOf = async (query: string) =>
      ((await own.admin.get(`${url}?${query}`)).body as { id: string }[]).map(({ id }) => id);
    expect(await idsOf('q=Origin')).toEqual(made);
    expect(await idsOf('q=https%3A%2F%2Fapp')).toEqual(made);
    expect(await idsOf('q=rigin')).toEqual([]);
    expect(await idsOf(`filter=${encodeURIComponent('type eq "CORS"')}`)).toHaveLength(2);
    expect(await idsOf(`filter=${encodeURIComponent('not (type eq "CORS") and status eq "ACTIVE"')}`)).toHaveLength(2);
    expect(await idsOf(`filter=${encodeURIComponent('origin co "example.com"')}`)).toEqual(made);
  });

  test.each([
    ['filter=id%20eq%20%22x%22', 'E0000053'],
    ['filter=status%20sw%20%22A%22', 'E0000031'],
    ['limit=0', 'E0000001'],
    ['limit=x', 'E0000037'],
    ['after=abc', 'E0000001'],
    ['after=a&before=b', 'E0000001'],
  ])('refuses %s with %s', async (query, errorCode) => {
    expect(await own.admin.get(`${url}?${query}`)).toMatchObject({ status: 400, body: { errorCode } });
  });

  test('a cursor of another query or another org is refused', async () => {
    const next = linkOf((await own.admin.get(`${url}?limit=2`)).headers['link'], 'next') ?? '';
    expect(await own.admin.get(`${next}&q=Origin`)).toMatchObject({ status: 400 });
    expect(await org.admin.get(next)).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
  });
});
