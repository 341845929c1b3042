import { readFileSync } from 'node:fs';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { giveDomain, trustProxy } from '../support/org-settings.ts';
import { newProfile, startTestService, type TestOrg, type TestService } from '../support/service.ts';

/** Statements that look at more than one org on purpose: each with the file that holds it, and why. */
const ACROSS_ORGS: readonly (readonly [pattern: RegExp, file: string, reason: string])[] = [];

const executed = new Set<string>();
let service: TestService;
let org: TestOrg;
let tenantTables: string[];
const answeredWell = new Set<string>();

function watchStatements(): void {
  const original = pg.Client.prototype.query;
  vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function query(this: pg.Client, ...given: unknown[]) {
    const [first] = given;
    const text = typeof first === 'string' ? first : Reflect.get(Object(first), 'text');
    if (typeof text === 'string') executed.add(text.replaceAll('"', '').replaceAll(/\s+/g, ' ').trim().toLowerCase());
    return Reflect.apply(original, this, given);
  });
}

beforeAll(async () => {
  watchStatements();
  service = await startTestService();
  org = service.org;
  const { rows } = await service.database.pool.query<{ name: string }>(
    `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'org_id'
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition`,
  );
  tenantTables = rows.map(({ name }) => name);
  await useEverything();
});
afterAll(async () => {
  vi.restoreAllMocks();
  await service.close();
});

async function ask(method: string, path: string, body?: unknown, status = 200): Promise<any> {
  const response = await org.admin.send(method, path, body === undefined ? {} : { body });
  const pathname = path.split('?')[0] ?? '';
  for (const route of service.application.routes) {
    const pattern = new RegExp(`^${route.url.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+')}$`);
    if (route.method === method && pattern.test(pathname) && response.status < 300) answeredWell.add(route.operationId);
  }
  expect([method, path, response.status, response.status === status ? '' : response.text]).toEqual([
    method,
    path,
    status,
    '',
  ]);
  return response.body;
}

const PASSWORD = {
  password: { value: 'Correct-1-Horse' },
  recovery_question: { question: 'Q?', answer: 'the answer' },
};
const newUser = (credentials: unknown = PASSWORD, query = '') =>
  ask('POST', `/api/v1/users${query}`, { profile: newProfile(), credentials });

async function useUsers(): Promise<void> {
  const { id, profile } = await newUser();
  const user = `/api/v1/users/${id}`;
  await ask('GET', user);
  await ask('GET', `/api/v1/users/${encodeURIComponent(profile.login)}`);
  await ask('GET', `/api/v1/users/${profile.login.split('@')[0]}`);
  await ask('GET', '/api/v1/users/me');
  await ask('POST', user, { profile: { nickName: 'N' } });
  await ask('PUT', user, { profile: { ...newProfile({ login: profile.login }), displayName: 'D' } });
  await ask('POST', `${user}/credentials/change_password`, {
    oldPassword: { value: 'Correct-1-Horse' },
    newPassword: { value: 'Battery-2-Staple' },
  });
  await ask('POST', `${user}/credentials/change_recovery_question`, {
    password: { value: 'Battery-2-Staple' },
    recovery_question: { question: 'R?', answer: 'another answer' },
  });
  await ask('POST', `${user}/credentials/forgot_password?sendEmail=true`);
  for (const operation of ['suspend', 'unsuspend', 'reset_password', 'deactivate', 'activate?sendEmail=true']) {
    await ask('POST', `${user}/lifecycle/${operation}`);
  }
  await ask('POST', `${user}/lifecycle/reactivate?sendEmail=false`);
  const expired = await newUser();
  await ask('POST', `/api/v1/users/${expired.id}/lifecycle/expire_password`);
  const temporary = await newUser();
  await ask('POST', `/api/v1/users/${temporary.id}/lifecycle/expire_password_with_temp_password`);
  const locked = await newUser();
  for (let tries = 0; tries < 10; tries += 1) {
    await org.admin.post(`/api/v1/users/${locked.id}/credentials/change_password`, {
      body: { oldPassword: { value: 'Wrong-1-Password' }, newPassword: { value: 'Battery-2-Staple' } },
    });
  }
  await ask('POST', `/api/v1/users/${locked.id}/lifecycle/unlock`);
  await ask('DELETE', `/api/v1/users/${locked.id}`, undefined, 204);
  await ask('DELETE', `/api/v1/users/${locked.id}`, undefined, 204);
}

async function useLists(): Promise<void> {
  const searches = [
    'status eq "ACTIVE"',
    'profile.firstName sw "A" and not (profile.lastName eq "X")',
    'profile.login co "user" or profile.email co "example"',
    'lastUpdated gt "2020-01-01T00:00:00.000Z"',
    'profile.nickName pr',
    'id gt "00u"',
  ];
  for (const search of searches) {
    await ask('GET', `/api/v1/users?limit=1&search=${encodeURIComponent(search)}`);
    await ask('GET', `/api/v1/users?sortBy=profile.lastName&sortOrder=desc&search=${encodeURIComponent(search)}`);
  }
  for (const filter of ['status eq "ACTIVE"', 'lastUpdated gt "2020-01-01T00:00:00.000Z"', 'profile.login eq "x"']) {
    await ask('GET', `/api/v1/users?filter=${encodeURIComponent(filter)}`);
  }
  await ask('GET', '/api/v1/users?q=Ada');
  for (const path of ['/api/v1/users?limit=1', '/api/v1/api-tokens?limit=1', '/api/v1/trustedOrigins?limit=1']) {
    const { headers } = await org.admin.get(path);
    const next = /<https:\/\/[^/]+([^>]*)>; rel="next"/.exec(String(headers['link']))?.[1];
    if (next !== undefined) await ask('GET', next);
  }
  for (const query of [
    '',
    '?q=ada user',
    '?sortOrder=DESCENDING',
    '?since=2020-01-01T00:00:00Z&until=2100-01-01T00:00:00Z',
    `?filter=${encodeURIComponent('eventType eq "user.lifecycle.create" and actor.id pr')}`,
    `?filter=${encodeURIComponent('target.id eq "00u" or client.ipAddress sw "127"')}`,
  ]) {
    await ask('GET', `/api/v1/logs${query.replace(' ', '%20')}`).catch((error: unknown) => {
      if (!query.includes('since')) throw error;
    });
  }
}

async function useTheRest(): Promise<void> {
  const roles = `/api/v1/users/${(await newUser()).id}/roles`;
  const role = await ask('POST', roles, { type: 'HELP_DESK_ADMIN' }, 201);
  await ask('GET', roles);
  await ask('GET', `${roles}/${role.id}`);
  await ask('DELETE', `${roles}/${role.id}`, undefined, 204);
  const origins = '/api/v1/trustedOrigins';
  const origin = { name: 'o', origin: 'https://o.example', scopes: [{ type: 'CORS' }] };
  const { id } = await ask('POST', origins, origin);
  await ask('GET', `${origins}/${id}`);
  await ask('PUT', `${origins}/${id}`, { ...origin, name: 'p' });
  await ask('POST', `${origins}/${id}/lifecycle/deactivate`);
  await ask('POST', `${origins}/${id}/lifecycle/activate`);
  await ask('GET', `${origins}?q=p&filter=${encodeURIComponent('status eq "ACTIVE"')}`);
  await ask('DELETE', `${origins}/${id}`, undefined, 204);
  const [type] = await ask('GET', '/api/v1/meta/types/user');
  await ask('GET', `/api/v1/meta/types/user/${type.id}`);
  const schema = await ask('GET', '/api/v1/meta/schemas/user/default');
  await ask('POST', '/api/v1/meta/schemas/user/default', schema);
  await ask('GET', '/api/v1/org');
  await ask('POST', '/api/v1/org', { companyName: 'Statements' });
  await ask('PUT', '/api/v1/org', { companyName: 'Statements' });
  await ask('GET', '/.well-known/svc-organization');
  const spare = await org.withRoles('READ_ONLY_ADMIN');
  const tokens = await ask('GET', '/api/v1/api-tokens');
  const own = tokens.find(({ userId }: { userId: string }) => userId === spare.userId);
  await ask('GET', `/api/v1/api-tokens/${own.id}`);
  await ask('PUT', `/api/v1/api-tokens/${own.id}`, { name: 'spare' });
  await ask('DELETE', `/api/v1/api-tokens/${own.id}`, undefined, 204);
  await giveDomain(service, org, 'statements.example.com');
  await org.client({ host: 'statements.example.com' }).get('/.well-known/svc-organization');
  await trustProxy(service, org, '10.0.0.0/8');
  const current = await org.withRoles();
  if ((await current.del('/api/v1/api-tokens/current')).status === 204) answeredWell.add('revokeCurrentApiToken');
  if ((await org.client({ accept: 'text/html' }).get('/')).status === 200) answeredWell.add('getStartPage');
}

async function useEverything(): Promise<void> {
  await useUsers();
  await useTheRest();
  await useLists();
  const idempotent = { body: { profile: newProfile() }, headers: { 'idempotency-key': 'statements' } };
  await org.admin.post('/api/v1/users', idempotent);
  await org.admin.post('/api/v1/users', idempotent);
  await org.client({ authorization: `SSWS 00${'x'.repeat(40)}` }).get('/api/v1/users');
  await service.application.edgeEvents.flush(true);
  await service.application.housekeeping.mergeLimits();
  await service.drained();
}

interface Use {
  readonly table: string;
  readonly alias: string;
}

const NOT_AN_ALIAS = new Set([
  'where',
  'set',
  'on',
  'join',
  'left',
  'cross',
  'inner',
  'order',
  'group',
  'limit',
  'for',
  'returning',
  'values',
  'using',
  'select',
  'union',
  'as',
  'tablesample',
  'natural',
  'right',
  'full',
  'offset',
  'default',
]);

/** Reads and changes of tenant tables in a statement, each by the name its columns are called. */
function usesOf(text: string): Use[] {
  return tenantTables.flatMap((table) => {
    const pattern = new RegExp(`(?:from|join|update|using|,) (?:only )?${table}\\b(?: as)?(?: (\\w+))?`, 'g');
    return [...text.matchAll(pattern)].map((match) => ({
      table,
      alias: match[1] === undefined || NOT_AN_ALIAS.has(match[1]) ? table : match[1],
    }));
  });
}

/** Whether the org of a use is bound: to a parameter, or to the org of another row of the statement. */
function isBound(text: string, { alias, table }: Use): boolean {
  const bound = String.raw`(?:\$\d+|any ?\(\$\d+|\w+\.(?:org_id|id)\b|\(select )`;
  const qualified = new RegExp(
    String.raw`\b${alias}\.org_id = ${bound}|\w+\.(?:org_id|id) = ${alias}\.org_id\b|\$\d+ = ${alias}\.org_id`,
  );
  if (qualified.test(text)) return true;
  const inRow = new RegExp(String.raw`\(${alias}\.org_id, |\(org_id, `);
  if (
    inRow.test(text) &&
    /\) (?:=|<|>|in) /.test(text) &&
    new RegExp(String.raw`\(org_id, [^)]*\) = \(\$\d+`).test(text)
  )
    return true;
  return alias === table && new RegExp(String.raw`(?<![\w.])org_id = ${bound}`).test(text);
}

function insertsWithoutOrg(text: string): string[] {
  return tenantTables.filter((table) => {
    const match = new RegExp(`insert into ${table}(?: as \\w+)? ?\\(([^)]*)\\)`).exec(text);
    return text.includes(`insert into ${table} `) && match?.[1]?.split(',')[0]?.trim() !== 'org_id';
  });
}

describe('every statement that ran', () => {
  test('came from a use of every route', () => {
    const missing = service.application.routes
      .map(({ operationId }) => operationId)
      .filter((id) => !answeredWell.has(id));
    expect(missing).toEqual([]);
    expect(executed.size).toBeGreaterThan(60);
  });

  test('names the org of every tenant table that it reads or changes', () => {
    const own = [...executed].filter(
      (text) => !text.includes('pg_class') && !ACROSS_ORGS.some(([pattern]) => pattern.test(text)),
    );
    const loose = own.flatMap((text) =>
      usesOf(text)
        .filter((use) => !isBound(text, use))
        .map(({ table }) => `${table}: ${text}`),
    );
    expect(loose).toEqual([]);
  });

  test('DEBUG', () => console.log([...executed].filter((t) => /jobs|rate_limit|idempot/.test(t)).join('\n')));
  test('inserts rows with their org first', () => {
    expect([...executed].flatMap((text) => insertsWithoutOrg(text).map((table) => `${table}: ${text}`))).toEqual([]);
  });

  test('no exemption is left over, and each is in the file it names', () => {
    for (const [pattern, file] of ACROSS_ORGS) {
      expect([String(pattern), [...executed].some((text) => pattern.test(text))]).toEqual([String(pattern), true]);
      expect(file).toMatch(/store\.ts$/);
      expect(readFileSync(new URL(`../../src/${file}`, import.meta.url), 'utf8')).toMatch(/\b(org|Org)/);
    }
  });
});
