import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { beforeTests } from '../support/before-tests.ts';
import { openTransferCommandLine } from '../support/transfer-command-line.ts';

const line = beforeTests(() => openTransferCommandLine());

const ROWS = 4_000;
function table(name: string): string {
  const rows = Array.from({ length: ROWS }, (_, index) => {
    const login = index % 5 === 4 ? 'nobody' : `${name}.${index % 7 === 6 ? index - 3 : index}@k.co`;
    return `${login},${name}.${index}@k.co,K,Number ${index},${index % 3 === 0 ? 'Thirds' : ''}`;
  });
  return `login,email,firstName,lastName,groups\n${rows.join('\n')}\n`;
}
const refused = Array.from({ length: ROWS }, (_, index) => index).filter((index) => index % 5 === 4);
const logins = (name: string): Set<string> =>
  new Set(
    table(name)
      .split('\n')
      .slice(1)
      .flatMap((row) => row.split(',')[0] ?? '')
      .filter((login) => login.includes('@')),
  );

const countOf = (name: string) => line.count('select count(*) as count from users where login like $1', [`${name}.%`]);

async function untilThere(name: string, wanted: number): Promise<void> {
  for (let found = 0; found < wanted; found = await countOf(name)) await delay(15);
}

describe('kill -9 in the middle', () => {
  test('loses and doubles nothing, however often', async () => {
    const file = await line.file('killed.csv', table('killed'));
    const expected = logins('killed').size;
    for (const share of [0.1, 0.4, 0.7]) {
      const program = line.begin('import', 'users', file);
      await untilThere('killed', Math.floor(expected * share));
      program.process.kill('SIGKILL');
      expect(await program.ended).toBe('SIGKILL');
    }
    expect(await countOf('killed')).toBeLessThan(expected);
    const { code, report } = await line.importUsers(file);
    expect(code).toBe(1);
    expect(report).toMatchObject({ rows: ROWS, created: expected, refused: refused.length });
    expect(await countOf('killed')).toBe(expected);
    // Each user has one event. Each refused row has one problem, in the order of the file.
    const created = (await line.events('user.lifecycle.create')).map(
      ({ target }) => (target as { alternateId: string }[])[0]?.alternateId ?? '',
    );
    expect(created.filter((login) => login.startsWith('killed.')).toSorted()).toEqual([...logins('killed')].toSorted());
    const problems = (await line.read('killed.csv.errors.csv')).trim().split('\r\n').slice(1);
    expect(problems.map((row) => Number(row.split(',')[0]))).toEqual(refused.map((index) => index + 2));
    // The search index contains exactly one login for each user.
    expect(
      await line.count(
        `select count(*) as count from user_attribute_values v
          where v.attribute_id = 100 and v.value_key like 'killed.%'`,
      ),
    ).toBe(expected);
    const memberships = await line.count(
      `select count(*) as count from group_members m join users u on u.org_id = m.org_id and u.id = m.user_id
       where u.login like 'killed.%'`,
    );
    expect(report).toMatchObject({ memberships });
    expect(await line.events('system.import.start')).toMatchObject(
      ['started', 'resumed', 'resumed', 'resumed'].map((phase) => ({ debugContext: { debugData: { phase } } })),
    );
    expect(await line.events('system.import.complete')).toHaveLength(1);
    expect(await line.count('select count(*) as count from user_import_batches')).toBe(0);
  }, 600_000);

  test('what goes on must be what was begun', async () => {
    const file = await line.file('begun.csv', table('begun'));
    const program = line.begin('import', 'users', file);
    await untilThere('begun', 300);
    program.process.kill('SIGKILL');
    await program.ended;
    const starts = (await line.events('system.import.start')).length;
    const other = await line.importUsers(file, '--existing', 'update');
    expect(other).toMatchObject({ code: 1, report: undefined });
    expect(other.stderr).toContain('started with existing skip');
    expect(await line.events('system.import.start')).toHaveLength(starts);
    expect((await line.importUsers(file)).report).toMatchObject({ rows: ROWS, created: logins('begun').size });
  }, 600_000);

  test('two at once share the work', async () => {
    const file = await line.file('shared.csv', table('shared'));
    const both = await Promise.all([line.importUsers(file), line.importUsers(file)]);
    const expected = logins('shared').size;
    expect(both.map(({ report }) => report?.['created'])).toEqual([expected, expected]);
    expect(await countOf('shared')).toBe(expected);
  }, 600_000);
});

test('a hostile file ends soon, in bounded memory, and what is good in it is imported', async () => {
  const deep = `{"profile":${'['.repeat(200_000)}`;
  const wide = JSON.stringify({ profile: Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`a${i}`, i])) });
  const long = JSON.stringify({ profile: { login: 'x'.repeat(2_000_000) } });
  const good = JSON.stringify({ profile: { login: 'h@k.co', email: 'h@k.co', firstName: 'H', lastName: 'F' } });
  const odd = JSON.stringify({ profile: { login: 'nul\0@k.co', email: 'n@k.co', firstName: 'H', lastName: 'F' } });
  const proto =
    '{"profile":{"login":"p@k.co","email":"p@k.co","firstName":"P","lastName":"P","__proto__":{"admin":true}}}';
  const lines = [deep, wide, long, odd, proto, ...Array.from({ length: 200 }, () => long.slice(0, 900_000)), good];
  const file = await line.file('hostile.ndjson', lines.join('\n'));
  const { code, report } = await line.importUsers(file);
  expect({ code, report }).toMatchObject({ code: 1, report: { created: 1, refused: lines.length - 1 } });
  expect((await line.admin.get('/api/v1/users/h@k.co')).status).toBe(200);
}, 600_000);

test('what a file is refused for is told to the terminal as plain text', async () => {
  const name = 'last\u001b[2J\u001b]0;owned\u0007';
  const ended = await line.importUsers(await line.file('escape.csv', `login,${name},${name}\n`));
  expect(ended.code).not.toBe(0);
  expect(ended.stderr).toContain('The first row names the column "last?[2J?]0;owned?" twice.');
});
