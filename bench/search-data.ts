import { openConnection, requestBytes } from './connection.ts';
import { authorizationOf, type Gatehouse } from './gatehouse.ts';
import { assertGood } from './load.ts';

/** The numbers of the attributes, as in management/users/profile/attribute-values.ts. */
const ATTRIBUTES = {
  status: 1,
  created: 2,
  lastUpdated: 5,
  'type.id': 6,
  'profile.login': 100,
  'profile.email': 101,
  'profile.firstName': 102,
  'profile.lastName': 103,
  'profile.title': 108,
  'profile.city': 115,
  'profile.employeeNumber': 124,
  'profile.costCenter': 125,
  'profile.department': 128,
  /** The attributes that an org adds are numbered from 10,000. */
  'profile.badge': 10_000,
} as const;

const BADGE = { definitions: { custom: { properties: { badge: { title: 'Badge', type: 'string' } } } } };

const MAKE_PEOPLE = `create unlogged table bench_people as
  select '00u' || substr(md5('user' || n), 1, 17) as id,
    (array['Ada', 'Alan', 'Barbara', 'Bjarne', 'Clara', 'Dana', 'Dennis', 'Donald', 'Edsger', 'Frances', 'Grace',
      'Guido', 'Hedy', 'Ivan', 'Joan', 'John', 'Karen', 'Ken', 'Kathleen', 'Larry', 'Leslie', 'Linus', 'Lynn',
      'Maurice',
      'Margaret', 'Niklaus', 'Noam', 'Ole', 'Peter', 'Radia', 'Robin', 'Rozsa', 'Shafi', 'Sophie', 'Tim', 'Tony',
      'Ursula', 'Vint', 'Whitfield', 'Yukihiro'])[1 + (hashint4(n) & 1073741823) % 40] as first_name,
    (array['Allen', 'Babbage', 'Church', 'Dijkstra', 'Estrin', 'Floyd', 'Goldberg', 'Hopper', 'Iverson', 'Jensen',
      'Kay',
      'Lamport', 'Mauchly', 'Naur', 'Ousterhout', 'Perlis', 'Quillen', 'Ritchie', 'Sammet', 'Turing'])
      [1 + (hashint4(n + 7) & 1073741823) % 20] || 'son ' || (hashint4(n + 11) & 1073741823) % 100 as last_name,
    'user.' || n || '@example.com' as login,
    'Department ' || (hashint4(n + 13) & 1073741823) % 20 as department,
    'City ' || (hashint4(n + 17) & 1073741823) % 500 as city,
    'Title ' || (hashint4(n + 19) & 1073741823) % 200 as title,
    'Cost ' || (hashint4(n + 23) & 1073741823) % 1000 as cost_center,
    'Badge ' || (hashint4(n + 29) & 1073741823) % 300 as badge,
    'E' || lpad(n::text, 8, '0') as employee_number,
    timestamptz '2020-01-01 00:00:00Z' + n * interval '37 seconds' as created_at
  from generate_series(1, $1::integer) n`;

const MAKE_USERS = `insert into users (org_id, id, type_id, status, login, login_key, short_login_key,
    normal_form_version,
    profile, provider_type, provider_name, has_password, created_at, last_updated_at)
  select t.org_id, p.id, t.id, 'STAGED', p.login, p.login, split_part(p.login, '@', 1), 1,
    jsonb_build_object('login', p.login, 'email', p.login, 'firstName', p.first_name, 'lastName', p.last_name,
      'department', p.department, 'city', p.city, 'title', p.title, 'costCenter', p.cost_center,
      'employeeNumber', p.employee_number, 'badge', p.badge, 'mobilePhone', null, 'secondEmail', null),
    'INTERNAL', 'INTERNAL', false, p.created_at, p.created_at
  from bench_people p join user_types t on t.org_id = $1 and t.is_default`;

const MAKE_SIGN_IN = `insert into user_sign_in (org_id, user_id) select $1, id from bench_people`;

/** Values are ASCII, so lower() yields the product's normal form. */
const MAKE_VALUES = `insert into user_attribute_values (org_id, attribute_id, value_key, user_id)
  select $1, a.attribute_id, a.value_key, p.id
  from bench_people p join user_types t on t.org_id = $1 and t.is_default,
    lateral (values (${ATTRIBUTES.status}, 'staged'), (${ATTRIBUTES['type.id']}, lower(t.id)),
      (${ATTRIBUTES.created}, to_char(p.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')),
      (${ATTRIBUTES.lastUpdated}, to_char(p.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')),
      (${ATTRIBUTES['profile.login']}, lower(p.login)), (${ATTRIBUTES['profile.email']}, lower(p.login)),
      (${ATTRIBUTES['profile.firstName']}, lower(p.first_name)),
      (${ATTRIBUTES['profile.lastName']}, lower(p.last_name)),
      (${ATTRIBUTES['profile.department']}, lower(p.department)), (${ATTRIBUTES['profile.city']}, lower(p.city)),
      (${ATTRIBUTES['profile.title']}, lower(p.title)), (${ATTRIBUTES['profile.costCenter']}, lower(p.cost_center)),
      (${ATTRIBUTES['profile.employeeNumber']}, lower(p.employee_number)),
      (${ATTRIBUTES['profile.badge']}, lower(p.badge))) as a (attribute_id, value_key)`;

const INDEXES = `select 'alter table ' || c.conrelid::regclass || ' drop constraint ' || c.conname as take,
    'alter table ' || c.conrelid::regclass || ' add constraint ' || c.conname
      || ' ' || pg_get_constraintdef(c.oid) as give
  from pg_constraint c where c.conrelid = 'user_attribute_values'::regclass and c.contype = 'p'
  union all
  select 'drop index ' || i.indexrelid::regclass, pg_get_indexdef(i.indexrelid)
  from pg_index i where i.indrelid = any (array['user_attribute_values'::regclass, 'users'::regclass])
    and not i.indisunique`;

async function defineBadge({ endpoint, token }: Gatehouse): Promise<void> {
  const connection = await openConnection(endpoint, 0);
  const path = '/api/v1/meta/schemas/user/default';
  assertGood(await connection.send(requestBytes(endpoint, 'POST', path, authorizationOf(token), BADGE)));
  connection.close();
}

/**
 * Fills the first org with users and their search index by SQL. Most indexes are dropped first and created again at the
 * end, because updating them row by row takes long.
 */
export async function fillOrg(gatehouse: Gatehouse, users: number): Promise<void> {
  const { orgId, pool } = gatehouse;
  await defineBadge(gatehouse);
  const client = await pool.connect();
  try {
    await client.query(`set maintenance_work_mem = '1GB'`);
    await client.query(`set synchronous_commit = off`);
    const { rows: indexes } = await client.query<{ take: string; give: string }>(INDEXES);
    for (const { take } of indexes) await client.query(take);
    await client.query(MAKE_PEOPLE, [users]);
    await client.query(MAKE_USERS, [orgId]);
    await client.query(MAKE_SIGN_IN, [orgId]);
    await client.query(MAKE_VALUES, [orgId]);
    for (const { give } of indexes) await client.query(give);
    await client.query('drop table bench_people');
    await client.query('vacuum analyze users, user_sign_in, user_attribute_values');
    await client.query('checkpoint');
  } finally {
    client.release();
  }
}
