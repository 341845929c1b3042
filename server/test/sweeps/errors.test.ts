import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allRoutes } from '../../src/all-routes.ts';
import { ERRORS } from '../../src/kernel/errors.ts';
import type { AnyRoute } from '../../src/platform/http/index.ts';
import { EVENTS } from '../../src/system-log/events.ts';
import type { RequestOptions } from '../support/client.ts';
import { startTestService, type TestOrg, type TestService } from '../support/service.ts';
import { useEveryRoute } from './use-every-route.ts';

/** What the edge answers on any route, so that no declaration repeats it. */
const OF_THE_EDGE: ReadonlySet<string> = new Set([
  'E0000001', // a character that is not supported
  'E0000002',
  'E0000003',
  'E0000004',
  'E0000006',
  'E0000008',
  'E0000009',
  'E0000011',
  'E0000018',
  'E0000019',
  'E0000021',
  'E0000022',
  'E0000047',
  'E0000122',
  'E0000181',
]);

let service: TestService;
let org: TestOrg;
let used: ReadonlySet<string>;

beforeAll(async () => {
  service = await startTestService();
  org = service.org;
  used = await useEveryRoute(service);
});
afterAll(() => service.close());

const BAD_QUERIES = [
  '',
  '?limit=0',
  '?limit=-1',
  '?limit=abc',
  '?limit=1000000000',
  '?limit=2&limit=3',
  '?after=edited',
  '?before=edited',
  '?after=a&before=b',
  '?filter=nonsense',
  '?filter=status%20xx%20%22A%22',
  '?search=nonsense',
  '?search=a%20pr&filter=b%20pr',
  '?sortBy=nonsense&search=status%20pr',
  '?sortOrder=sideways',
  '?since=yesterday',
  '?until=',
  '?q=%20',
  `?q=${'a'.repeat(3_000)}`,
  '?activate=perhaps',
  '?sendEmail=perhaps',
  '?strict=perhaps',
  '?nextLogin=changePassword&activate=false',
  '?provider=perhaps',
];

const BAD_BODIES: readonly RequestOptions[] = [
  {},
  { body: {} },
  { body: [] },
  { body: null },
  { body: { profile: { login: 5 }, name: 5, type: 5, companyName: 5, scopes: 5 } },
  { body: { profile: { unknown: 1 }, credentials: { password: { value: '' } }, groupIds: ['x'] } },
  { body: { name: '', origin: 'x', scopes: [], type: 'KING', companyName: '' } },
  { body: { profile: {} }, headers: { 'if-match': 'garbage' } },
  { body: { profile: {} }, headers: { 'if-match': 'W/"0"' } },
  { body: { profile: {} }, headers: { 'idempotency-key': ' ' } },
];

function attempts(route: AnyRoute): { path: string; options: RequestOptions }[] {
  const paths = ['00unobody', 'me', 'default'].map((id) => route.url.replaceAll(/:\w+/g, id));
  const queried = BAD_QUERIES.map((query) => ({ path: `${paths[0]}${query}`, options: {} }));
  if (route.method === 'GET') return queried;
  // The administrator who asks stays one, and keeps the token.
  if (route.operationId === 'revokeCurrentApiToken') return [];
  const isHarmless = !/lifecycle|roles|current/.test(route.url) && route.method !== 'DELETE';
  const addresses = isHarmless ? new Set(paths) : new Set([paths[0] ?? '']);
  const bodied = [...addresses].flatMap((path) => BAD_BODIES.map((options) => ({ path, options })));
  return [...queried, ...bodied];
}

const sources = (): string[] => {
  const root = fileURLToPath(new URL('../../src/', import.meta.url));
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .map((path) => readFileSync(`${root}${path}`, 'utf8'));
};

describe('errors', () => {
  test.each(allRoutes.map((route) => [`${route.method} ${route.url}`, route] as const))(
    '%s answers nonsense with what it declares, never with a fault',
    async (_, route) => {
      const before = await org.admin.get('/api/v1/users/me');
      for (const { path, options } of attempts(route)) {
        const { status, body } = await org.admin.send(route.method, path, options);
        if (status < 400) continue;
        const isDeclared =
          OF_THE_EDGE.has(body.errorCode) || (route.errors as readonly string[]).includes(body.errorCode);
        expect({ path, options, code: body.errorCode, isDeclared, isFault: status >= 500 }).toEqual({
          path,
          options,
          code: body.errorCode,
          isDeclared: true,
          isFault: false,
        });
      }
      expect((await org.admin.get('/api/v1/users/me')).status).toBe(before.status);
    },
  );

  test('every code that the source names is in the table', () => {
    const thrown = new Set(sources().flatMap((text) => text.match(/(?<=')E\d{7}(?=')/g) ?? []));
    expect(thrown.size).toBeGreaterThan(20);
    expect([...thrown].filter((code) => !(code in ERRORS))).toEqual([]);
  });
});

describe('events', () => {
  test('every type that was emitted, and every one that is named in the source, is in the catalogue', async () => {
    expect(used.size).toBeGreaterThan(40);
    const { rows } = await service.database.pool.query<{ type: string }>(
      'select distinct event_type as type from log_events',
    );
    expect(rows.length).toBeGreaterThan(20);
    expect(rows.map(({ type }) => type).filter((type) => !(type in EVENTS))).toEqual([]);
    const named = sources().flatMap((text) => text.match(/(?<=eventType: ')[\w.]+(?=')/g) ?? []);
    expect(named.filter((type) => !(type in EVENTS))).toEqual([]);
  });
});

describe('every collection', () => {
  const arrays = allRoutes.filter((route) => route.method === 'GET' && route.response.schema?.['type'] === 'array');

  test('is known', () => expect(arrays.length).toBeGreaterThan(4));

  test.each(arrays.map((route) => [route.url, route] as const))('%s is bounded', async (_, route) => {
    const path = route.url.replaceAll(/:\w+/g, org.adminUserId);
    const limited = await org.admin.get(`${path}?limit=1`);
    expect(limited.status).toBe(200);
    if (route.query?.['limit'] === undefined) {
      // Nothing to page: as many as there are roles, or user types.
      expect(limited.body.length).toBeLessThanOrEqual(10);
      return;
    }
    expect(limited.body.length).toBeLessThanOrEqual(1);
    const maximum = Number(route.query['limit'].schema['maximum'] ?? 1_000);
    expect(maximum).toBeLessThanOrEqual(1_000);
    const huge = await org.admin.get(`${path}?limit=1000000000`);
    expect(huge.status === 400 || huge.body.length <= maximum).toBe(true);
  });
});
