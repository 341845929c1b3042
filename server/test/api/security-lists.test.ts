import { beforeAll, describe, expect, test, vi } from 'vitest';
import { createApiToken } from '../../src/management/api-tokens/index.ts';
import { beforeTests } from '../support/before-tests.ts';
import type { TestResponse } from '../support/client.ts';
import { cpuMillisecondsSince } from '../support/cpu-time.ts';
import { operatorContext } from '../support/org-settings.ts';
import { startTestService, type TestOrg } from '../support/service.ts';
import { useService } from '../support/use-service.ts';

/** This file tests attacks 14 to 23 and 25 (docs/security-rows.md), mostly on paging, filters and searches. */
const { service, org } = useService({ isShared: false });

beforeAll(async () => {
  for (const lastName of ['One', 'Two', 'Three']) await org.createUser({ profile: { lastName } });
  await org.withRoles('READ_ONLY_ADMIN');
  for (const name of ['a', 'b', 'c']) await trust(org, name);
});

const trust = (of: TestOrg, name: string) =>
  of.admin.post('/api/v1/trustedOrigins', {
    body: { name, origin: `https://${name}.example`, scopes: [{ type: 'CORS' }] },
  });

const PAGED = ['/api/v1/users', '/api/v1/api-tokens', '/api/v1/trustedOrigins', '/api/v1/logs'];
const search = (expression: string) => `/api/v1/users?search=${encodeURIComponent(expression)}`;
const logs = (filter: string) => `/api/v1/logs?filter=${encodeURIComponent(filter)}`;

function nextOf(response: TestResponse): string {
  const next = /<https:\/\/[^/]+([^>]*)>; rel="next"/.exec(String(response.headers['link']))?.[1];
  if (next === undefined) throw new Error(`no next page: ${response.text.slice(0, 200)}`);
  return next;
}

describe('row 14: limit', () => {
  test.each(PAGED)('%s', async (path) => {
    for (const limit of ['-1', 'abc', '1e9', '1.5', '0x10', '', '%20', '99999999999999999999']) {
      expect([limit, (await org.admin.get(`${path}?limit=${limit}`)).status]).toEqual([limit, 400]);
    }
    expect((await org.admin.get(`${path}?limit=2&limit=3`)).status).toBe(400);
    for (const limit of ['0', '1001', '1000000000']) {
      const { status, body } = await org.admin.get(`${path}?limit=${limit}`);
      // Some lists accept these limits, but return at most 1,000 items.
      expect(status === 400 || (Array.isArray(body) && body.length <= 1_000)).toBe(true);
    }
  });
});

describe('row 15: cursors', () => {
  const refused = { status: 400, body: { errorCode: expect.stringMatching(/^E00000(01|29|31|53)$/) } };

  test.each(PAGED)('%s: edited anywhere', async (path) => {
    const next = nextOf(await org.admin.get(`${path}?limit=1`));
    const [, before = '', cursor = '', rest = ''] = /^(.*after=)([^&]+)(.*)$/.exec(next) ?? [];
    for (let index = 0; index < cursor.length; index += Math.ceil(cursor.length / 12)) {
      const other = cursor[index] === 'A' ? 'B' : 'A';
      const edited = cursor.slice(0, index) + other + cursor.slice(index + 1);
      expect(await org.admin.get(`${before}${edited}${rest}`)).toMatchObject(refused);
    }
    for (const edited of [`${cursor}A`, cursor.slice(0, -1), cursor.slice(1), 'x', '%00', "'; drop table users; --"]) {
      expect((await org.admin.get(`${before}${encodeURIComponent(edited)}${rest}`)).status).toBe(400);
    }
  });

  test.each(PAGED)('%s: of another org, another query, another list', async (path) => {
    const next = nextOf(await org.admin.get(`${path}?limit=1`));
    const cursor = /after=([^&]+)/.exec(next)?.[1] ?? '';
    const other = await service.newOrg();
    expect(await other.admin.get(next)).toMatchObject(refused);
    const filter = path.endsWith('logs') ? 'eventType pr' : 'status eq "ACTIVE"';
    if (!path.endsWith('api-tokens')) {
      expect(await org.admin.get(`${next}&filter=${encodeURIComponent(filter)}`)).toMatchObject(refused);
    }
    for (const list of PAGED.filter((one) => one !== path)) {
      expect(await org.admin.get(`${list}?after=${cursor}`)).toMatchObject(refused);
    }
  });

  test('a cursor of the log that is a year old goes on where the log begins now', async () => {
    const aging = await startTestService();
    try {
      const { admin } = aging.org;
      await aging.drained();
      const next = nextOf(await admin.get('/api/v1/logs?limit=1'));
      aging.clock.advance(365 * 86_400_000);
      const input = { userId: aging.org.adminUserId, name: 'later' };
      const { value } = await createApiToken(aging.application, operatorContext(aging, aging.org), input);
      const headers = { authorization: `SSWS ${value}` };
      const page = await vi.waitFor(async () => {
        const { status, body } = await admin.get(next.replace('limit=1', 'limit=1000'), { headers });
        expect(status).toBe(200);
        // Reads and jobs also cause events, so the test checks the type of only the first event that is not a read.
        const caused = body.filter(({ eventType }: { eventType: string }) => eventType !== 'system.log.read');
        if (caused.length === 0) throw new Error('not yet relayed');
        return { body, caused };
      });
      expect(page.caused[0].eventType).toBe('system.api_token.create');
      expect(page.body.every(({ published }: { published: string }) => published > new Date().toISOString())).toBe(
        true,
      );
    } finally {
      await aging.close();
    }
  });
});

test('row 16: after together with since is 400', async () => {
  const cursor = /after=([^&]+)/.exec(nextOf(await org.admin.get('/api/v1/logs?limit=1')))?.[1] ?? '';
  expect(await org.admin.get(`/api/v1/logs?after=${cursor}&since=${new Date().toISOString()}`)).toMatchObject({
    status: 400,
  });
});

describe('rows 17 to 19: operators and fields', () => {
  test.each<[string, string, string]>([
    ['row 17', logs('eventType eqq "x"'), 'E0000053'],
    ['row 17', logs('nonsense eq "x"'), 'E0000053'],
    ['row 17', logs('published gt "2024-01-01T00:00:00Z"'), 'E0000053'],
    ['row 17', search('nonsense eq "x"'), 'E0000031'],
    ['row 17', search('status xx "x"'), 'E0000031'],
    ['row 18', logs('debugContext.debugData.url co "x"'), 'E0000031'],
    ['row 18', logs('debugContext.debugData.requestUri co "x"'), 'E0000031'],
    ['row 19', search('profile.login ew "com"'), 'E0000031'],
    ['row 19', search('profile.login co "ab"'), 'E0000031'],
    ['row 19', `/api/v1/users?filter=${encodeURIComponent('profile.login co "abc"')}`, 'E0000031'],
  ])('%s: %s', async (_row, path, code) => {
    const { status, body } = await org.admin.get(path);
    expect(status).toBe(400);
    expect([code, 'E0000001', 'E0000053', 'E0000094']).toContain(body.errorCode);
    if (path.startsWith('/api/v1/logs')) expect(body.errorCode).toBe(code);
  });
});

describe('row 20: expressions without end', () => {
  const FITS_A_HEADER = 5_000;
  test.each([
    ['nested parentheses', `${'('.repeat(FITS_A_HEADER)}status eq "A"${')'.repeat(FITS_A_HEADER)}`],
    ['open parentheses', '('.repeat(FITS_A_HEADER)],
    ['not not', `${'not '.repeat(1_200)}(status eq "A")`],
    ['or or', `${'status eq "A" or '.repeat(280)}status eq "A"`],
    ['an endless string', `status eq "${'a'.repeat(FITS_A_HEADER)}`],
    ['backslashes', `status eq "${'\\'.repeat(FITS_A_HEADER)}"`],
    ['blanks', ' '.repeat(1_000)],
    [
      'or or, and another',
      `(${'status eq "A" or '.repeat(200)}status eq "A") and (${'status eq "B" or '.repeat(50)}status eq "B")`,
    ],
  ])('%s: answered in bounded time, without a fault', async (_name, expression) => {
    for (const parameter of ['/api/v1/users?filter=', '/api/v1/users?search=', '/api/v1/logs?filter=']) {
      const began = process.cpuUsage();
      const { status } = await org.admin.get(`${parameter}${encodeURIComponent(expression).replaceAll('%20', '+')}`);
      expect([200, 400, 414, 431]).toContain(status);
      expect(cpuMillisecondsSince(began)).toBeLessThan(2_000);
    }
  });
});

describe('row 21: every operand is literal', () => {
  const METACHARACTERS = [
    "' or '1'='1",
    '%',
    '_d_',
    '\\',
    '$1',
    '$$',
    "'; drop table users; --",
    '.*',
    '(a+)+$',
    '$.*[*]',
    '@.a == 1',
    '{{7*7}}',
    '%00',
    '[',
    '*',
  ];

  test.each(METACHARACTERS)('%s finds only what is called so', async (operand) => {
    const user = await org.createUser({ profile: { nickName: `<${operand}xyz`, lastName: `<${operand}xyz` } });
    const quoted = JSON.stringify(`<${operand}xyz`);
    const begins = JSON.stringify(`<${operand}`);
    const idsOf = async (path: string) => {
      const { status, body, text } = await org.admin.get(path);
      expect([status, status === 200 ? '' : text]).toEqual([200, '']);
      return body.map(({ id }: { id: string }) => id);
    };
    expect(await idsOf(search(`profile.nickName eq ${quoted}`))).toEqual([user.id]);
    expect(await idsOf(search(`profile.nickName sw ${begins}`))).toEqual([user.id]);
    expect(await idsOf(search(`profile.lastName co ${quoted}`))).toEqual([user.id]);
    expect(await idsOf(`/api/v1/users?q=${encodeURIComponent(`<${operand}`)}`)).toEqual([user.id]);
    for (const filter of [
      `actor.id eq ${quoted}`,
      `actor.displayName co ${quoted}`,
      `actor.displayName sw ${begins}`,
    ]) {
      expect(await idsOf(logs(filter))).toEqual([]);
    }
    expect((await org.admin.get(`/api/v1/logs?q=${encodeURIComponent(operand)}`)).status).toBe(200);
  });
});

test('row 22: strings that make a backtracking pattern explode are answered at once', async () => {
  const explosive = [
    'a'.repeat(3_000),
    'a@'.repeat(1_500),
    `${'a.'.repeat(1_500)}@`,
    `${'-'.repeat(3_000)}!`,
    `${' '.repeat(3_000)}x`,
  ];
  for (const text of explosive) {
    const began = process.cpuUsage();
    await org.admin.post('/api/v1/users', {
      body: { profile: { firstName: text, lastName: 'X', login: text, email: text } },
    });
    await org.admin.post('/api/v1/trustedOrigins', {
      body: { name: text, origin: `https://${text}`, scopes: [{ type: 'CORS' }] },
    });
    await org.admin.post('/api/v1/org', { body: { website: `https://${text}` } });
    await org.admin.get('/api/v1/org', {
      headers: { 'user-agent': text, accept: `application/json;a=${text.trim()}` },
    });
    await org.admin.get('/api/v1/org', {
      headers: { 'if-match': `W/"${text.replaceAll(' ', 'x')}"`, origin: text.trim() },
    });
    expect(cpuMillisecondsSince(began)).toBeLessThan(1_000);
  }
});

test('row 23: an item of 41 characters, a since of 181 days, an until that is none', async () => {
  const since = new Date(service.clock.now().getTime() - 181 * 86_400_000).toISOString();
  for (const [query, code] of [
    [`q=${'a'.repeat(41)}`, 'E0000001'],
    [`since=${since}`, 'E0000053'],
    ['until=', 'E0000001'],
    ['until=tomorrow', 'E0000001'],
    ['until=2024-13-01T00:00:00Z', 'E0000001'],
  ]) {
    expect(await org.admin.get(`/api/v1/logs?${query}`)).toMatchObject({ status: 400, body: { errorCode: code } });
  }
  expect((await org.admin.get(`/api/v1/logs?q=${'a'.repeat(40)}`)).status).toBe(200);
});

describe('row 25: what a caller may not read answers no question about it', () => {
  const nobody = beforeTests(() => org.withRoles());

  test('a list, whatever its condition, holds the own user at most', async () => {
    const conditions = [
      search('profile.lastName eq "Two"'),
      search('profile.lastName eq "Nobody"'),
      search('profile.lastName co "Two" or id pr'),
      search('not (profile.lastName eq "Two")'),
      `/api/v1/users?filter=${encodeURIComponent('status eq "ACTIVE"')}`,
      '/api/v1/users?q=Two',
      '/api/v1/users?limit=1',
      `${search('id pr')}&sortBy=profile.lastName`,
    ];
    for (const path of conditions) {
      const response = await nobody.get(path);
      expect([200, 403]).toContain(response.status);
      if (response.status !== 200) continue;
      const ids = response.body.map(({ id }: { id: string }) => id);
      expect(ids.filter((id: string) => id !== nobody.userId)).toEqual([]);
      expect(String(response.headers['link'])).not.toContain('rel="next"');
    }
  });

  test('the log says nothing, not even that a filter matches', async () => {
    for (const filter of ['eventType pr', `actor.id eq "${org.adminUserId}"`, 'actor.id eq "nobody"']) {
      expect(await nobody.get(logs(filter))).toMatchObject({ status: 403, body: { errorCode: 'E0000006' } });
    }
  });
});
