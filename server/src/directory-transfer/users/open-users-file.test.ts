import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RawRow } from '../formats/raw-rows.ts';
import { openUsersFile, type UserFormat, type UsersFile } from './open-users-file.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gatehouse-users-'));
});
afterAll(() => rm(directory, { recursive: true }));

let files = 0;
async function written(text: string | Buffer): Promise<string> {
  files += 1;
  const path = join(directory, `file.${files}`);
  await writeFile(path, text);
  return path;
}
const opened = async (text: string | Buffer, format: UserFormat): Promise<UsersFile> =>
  openUsersFile(await written(text), { format, ignoreUnknown: false });

async function rowsOf(file: UsersFile): Promise<RawRow[]> {
  const rows: RawRow[] = [];
  for await (const page of file.rows(() => undefined)) rows.push(...page);
  return rows;
}

describe('a file of users', () => {
  test('a table without its header, behind a byte order mark', async () => {
    const file = await opened('\uFEFFlogin;email\r\n"a@b.co";x\r\n', 'csv');
    expect(file.attributes).toEqual(['login', 'email']);
    expect(await rowsOf(file)).toEqual([{ number: 2, text: '"a@b.co";x' }]);
  });

  test('Auth0: lines, or items of an array', async () => {
    expect(await rowsOf(await opened('{"a":1}\n{"b":2}', 'auth0'))).toHaveLength(2);
    expect(await rowsOf(await opened('  [{"a":1},\n{"b":2}]', 'auth0'))).toHaveLength(2);
  });

  test('is known by its bytes alone', async () => {
    const [one, same, other] = await Promise.all([opened('a\nb', 'csv'), opened('a\nb', 'csv'), opened('a\nc', 'csv')]);
    expect(one.digest.equals(same.digest)).toBe(true);
    expect(one.digest.equals(other.digest)).toBe(false);
  });

  test('one that grows while it is read is noticed', async () => {
    const file = await opened('login\na@b.co\n', 'csv');
    await file.assertUnchanged();
    await appendFile(file.path, 'c@d.co\n');
    await expect(file.assertUnchanged()).rejects.toThrow('was changed');
  });

  test.each<[string, UserFormat, string]>([
    ['', 'csv', 'is empty'],
    ['login,login\n', 'csv', 'twice'],
    ['login,password\n', 'csv', 'only be imported as hashes'],
    ['x'.repeat(1_100_000), 'csv', 'name the columns'],
  ])('%.20j as %s is refused at once', async (text, format, part) => {
    await expect(opened(text, format)).rejects.toThrow(part);
  });

  test('what is not there cannot be read', async () => {
    const missing = openUsersFile(join(directory, 'missing'), { format: 'csv', ignoreUnknown: false });
    await expect(missing).rejects.toThrow("can't be read");
  });

  test.each(['{"users":[{"username":"x"}', '{"people":[]}'])('%s ends with a refusal', async (text) => {
    await expect(opened(text, 'keycloak').then(rowsOf)).rejects.toThrow('The file');
  });
});
