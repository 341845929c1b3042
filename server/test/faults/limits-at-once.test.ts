import { expect, test } from 'vitest';
import type { TestResponse } from '../support/client.ts';
import { createGroup } from '../support/groups.ts';
import { newOidcProvider, newProviderKey } from '../support/identity-providers.ts';
import { PROVIDER_KEYS, PROVIDERS } from '../support/provider-requests.ts';
import type { TestOrg } from '../support/service.ts';
import { useService } from '../support/use-service.ts';

const { service } = useService();

interface Limited {
  readonly table: string;
  readonly maximum: number;
  /** Columns to which `fill` gives a different value in each row. */
  readonly distinct: readonly string[];
  readonly path: string;
  readonly body: (org: TestOrg, number: number) => unknown;
}

const sideOf = (name: string) => ({ name, title: name, type: 'USER', description: '' });

const LIMITED: readonly Limited[] = [
  {
    table: 'trusted_origins',
    maximum: 1_000,
    distinct: ['id', 'name', 'origin'],
    path: '/api/v1/trustedOrigins',
    body: (_, n) => ({ name: `o${n}`, origin: `https://o${n}.example`, scopes: [{ type: 'CORS' }] }),
  },
  {
    table: 'network_zones',
    maximum: 1_000,
    distinct: ['id', 'name'],
    path: '/api/v1/zones',
    body: (_, n) => ({ type: 'IP', name: `z${n}`, gateways: [{ type: 'CIDR', value: '1.2.3.0/24' }] }),
  },
  {
    table: 'behaviors',
    maximum: 100,
    distinct: ['id', 'name'],
    path: '/api/v1/behaviors',
    body: (_, n) => ({ type: 'ANOMALOUS_DEVICE', name: `b${n}` }),
  },
  {
    table: 'identity_providers',
    maximum: 1_000,
    distinct: ['id', 'name'],
    path: PROVIDERS,
    body: () => newOidcProvider(),
  },
  {
    table: 'identity_provider_keys',
    maximum: 1_000,
    distinct: ['kid'],
    path: PROVIDER_KEYS,
    body: () => newProviderKey(),
  },
  {
    table: 'custom_roles',
    maximum: 500,
    distinct: ['id', 'label'],
    path: '/api/v1/iam/roles',
    body: (_, n) => ({ label: `r${n}`, description: 'd', permissions: ['svc.users.read'] }),
  },
  {
    table: 'resource_sets',
    maximum: 10_000,
    distinct: ['id', 'label'],
    path: '/api/v1/iam/resource-sets',
    body: ({ baseUrl }, n) => ({ label: `s${n}`, description: 'd', resources: [`${baseUrl}/api/v1/users`] }),
  },
  {
    table: 'linked_object_definitions',
    maximum: 200,
    distinct: ['primary_name', 'associated_name'],
    path: '/api/v1/meta/schemas/user/linkedObjects',
    body: (_, n) => ({ primary: sideOf(`p${n}`), associated: sideOf(`a${n}`) }),
  },
];

async function fill(org: TestOrg, { distinct, maximum, table }: Limited, room: number): Promise<void> {
  const named = distinct.map((column) => `'${column}', '${column}' || n`).join(', ');
  await service.database.pool.query(
    `insert into ${table} select (jsonb_populate_record(null::${table}, to_jsonb(r) || jsonb_build_object(${named}))).*
     from (select * from ${table} where org_id = $1 limit 1) r,
       generate_series(1, $2 - (select count(*)::integer from ${table} where org_id = $1)) n`,
    [org.id, maximum - room],
  );
}

const madeOf = (answers: readonly TestResponse[]) => answers.filter(({ status }) => status < 300).length;

test.each(LIMITED)('$table: the last place is taken once, however many ask at once', async (limited) => {
  const { body, maximum, path, table } = limited;
  const org = await service.newOrg();
  const create = (number: number) => org.admin.post(path, { body: body(org, number) });
  const first = await create(0);
  expect(madeOf([first]), first.text).toBe(1);
  await fill(org, limited, 1);
  const answers = await Promise.all([1, 2, 3, 4, 5, 6].map(create));
  expect(madeOf(answers)).toBe(1);
  for (const answer of answers.filter(({ status }) => status >= 300)) {
    expect(answer).toMatchObject({ status: 400, body: { errorCode: 'E0000001' } });
    expect(answer.text).toContain('at most');
  }
  const text = `select count(*)::integer as count from ${table} where org_id = $1`;
  const { rows } = await service.database.pool.query<{ count: number }>(text, [org.id]);
  expect(rows).toEqual([{ count: maximum }]);
});

test('owners of a group', async () => {
  const org = await service.newOrg();
  const group = await createGroup(org);
  const path = `/api/v1/groups/${group.id}/owners`;
  const users = await Promise.all(Array.from({ length: 6 }, () => org.createUser()));
  await service.database.pool.query(
    `insert into users (org_id, id, type_id, status, login, login_key, short_login_key, normal_form_version, profile,
       provider_type, provider_name, has_password, created_at, last_updated_at)
     select u.org_id, '00uO' || n, u.type_id, 'STAGED', 'o' || n, 'o' || n, 'o' || n, 1,
       jsonb_build_object('login', 'o' || n), 'INTERNAL', 'INTERNAL', false, now(), now()
     from users u, generate_series(1, 999) n where u.org_id = $1 and u.id = $2`,
    [org.id, users[0]?.id],
  );
  await service.database.pool.query(
    `insert into group_owners (org_id, group_id, owner_id, owner_type, assigned_at)
     select $1, $2, id, 'USER', now() from users where org_id = $1 and id ~ '^00uO[0-9]{1,3}$'`,
    [org.id, group.id],
  );
  const answers = await Promise.all(users.map(({ id }) => org.admin.post(path, { body: { id, type: 'USER' } })));
  expect(madeOf(answers)).toBe(1);
});

test('proxies in all zones of an org', async () => {
  const org = await service.newOrg();
  const proxies = Array.from({ length: 600 }, (_, n) => ({ type: 'CIDR', value: `10.0.${n >> 8}.${n & 255}` }));
  const zone = (name: string, more: object = {}) => ({
    type: 'IP',
    name,
    gateways: [{ type: 'CIDR', value: '1.2.3.0/24' }],
    ...more,
  });
  const made = await Promise.all(
    ['a', 'b'].map(async (name) => (await org.admin.post('/api/v1/zones', { body: zone(name) })).body.id),
  );
  const answers = await Promise.all([
    ...made.map((id, n) => org.admin.put(`/api/v1/zones/${id}`, { body: zone(`n${n}`, { proxies }) })),
    ...['c', 'd'].map((name) => org.admin.post('/api/v1/zones', { body: zone(name, { proxies }) })),
  ]);
  expect(madeOf(answers)).toBe(1);
});
