import { beforeAll, describe, expect, test } from 'vitest';
import type { TestResponse } from '../support/client.ts';
import { repeatingOutbound } from '../support/hook-receiver.ts';
import { useService } from '../support/use-service.ts';
import type { Send } from '../sweeps/asking.ts';
import { useEveryRoute } from '../sweeps/use-every-route.ts';

const MARK = 'swept0mass';
const REVISION = 987_654_321;
const INSTANT = '1999-01-02T03:04:05.000Z';
/** Members that only the service may set (attack 29 in docs/security-rows.md). */
const ATTACK: Readonly<Record<string, unknown>> = {
  id: `00u${MARK}0000000`,
  orgId: `00o${MARK}0000000`,
  org_id: `00o${MARK}0000000`,
  created: INSTANT,
  createdBy: MARK,
  lastUpdated: INSTANT,
  lastUpdatedBy: MARK,
  lastMembershipUpdated: INSTANT,
  lastMembershipUpdatedAt: INSTANT,
  isAdmin: true,
  roles: ['SUPER_ADMIN'],
  revision: REVISION,
  is_direct: true,
  _links: { self: { href: `https://${MARK}.example` } },
  _embedded: { [MARK]: {} },
};

const HAVING_STATUS = [
  'TrustedOrigin',
  'NetworkZone',
  '(AuthorizationServer)?Policy(Rule)?',
  'BehaviorDetectionRule',
  'IdentityProvider',
  'EventHook',
  'AuthorizationServer',
  'OAuth2Claim',
];
const WITH_STATUS = new RegExp(`^(create|replace)(${HAVING_STATUS.join('|')})$`);
/** A client's secrets and keys may be inactive from the start, so these bodies may also contain a status. */
const WITH_STATUS_TOO: ReadonlySet<string> = new Set(['createOAuth2ClientSecret', 'addJwk']);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

interface Tried {
  readonly operation: string;
  readonly answer: 'refused' | 'ignored' | 'taken';
}

const tried: Tried[] = [];

const statusOf = (body: unknown): unknown => (isObject(body) ? body['status'] : undefined);

/** Returns a status other than the one that a new resource has by default. */
const statusFor = (operation: string): string => (operation.endsWith('GroupRule') ? 'ACTIVE' : 'INACTIVE');

function judge({ body, status, text }: TestResponse, unwanted: string | null): Tried['answer'] {
  if (status >= 400) return status === 400 ? 'refused' : 'taken';
  const isEchoed = [MARK, INSTANT, String(REVISION)].some((value) => text.includes(value));
  return isEchoed || (unwanted !== null && statusOf(body) === unwanted) ? 'taken' : 'ignored';
}

/** Adds `ATTACK` to a body, and a status if the body may not contain one. After a 400, sends the original body. */
const sendAttacked: Send = async ({ client, method, options, path, route }) => {
  const { body } = options;
  if (route?.access !== 'authenticated' || !isObject(body)) return client.send(method, path, options);
  const operation = route.operationId;
  const hasStatus = WITH_STATUS.test(operation) || WITH_STATUS_TOO.has(operation) || 'status' in body;
  const status = statusFor(operation);
  const asked = path.includes('activate=false') ? 'INACTIVE' : undefined;
  const before = method === 'PUT' ? statusOf((await client.get(path)).body) : asked;
  const attack = hasStatus ? ATTACK : { ...ATTACK, status };
  const response = await client.send(method, path, { ...options, body: { ...attack, ...body } });
  tried.push({ operation, answer: judge(response, hasStatus || before === status ? null : status) });
  return response.status === 400 ? client.send(method, path, options) : response;
};

const { service } = useService({ outbound: repeatingOutbound });

beforeAll(async () => {
  await useEveryRoute(service, sendAttacked);
  await service.drained();
}, 180_000);

describe('what only the service sets', () => {
  test('is taken from no body', () => {
    expect(new Set(tried.map(({ operation }) => operation)).size).toBeGreaterThan(50);
    expect(tried.filter(({ answer }) => answer === 'taken').map(({ operation }) => operation)).toEqual([]);
    expect(tried.filter(({ answer }) => answer === 'ignored').length).toBeGreaterThan(50);
    expect(Reflect.get({}, 'isAdmin')).toBeUndefined();
  });

  test('stands nowhere in the database', async () => {
    const { pool } = service.database;
    const { rows: tables } = await pool.query<{ name: string }>(
      `select table_name as name from information_schema.tables
       where table_schema = 'public' and table_type = 'BASE TABLE'`,
    );
    const found: string[] = [];
    for (const { name } of tables) {
      const { rows } = await pool.query<{ row: string }>(
        `select t::text as row from ${name} t where t::text like '%' || $1 || '%' or t::text like '%' || $2 || '%'
           or t::text like '%1999-01-02%' limit 3`,
        [MARK, REVISION],
      );
      found.push(...rows.map(({ row }) => `${name}: ${row.slice(0, 300)}`));
    }
    expect(found).toEqual([]);
  });
});
