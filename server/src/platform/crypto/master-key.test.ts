import { hkdfSync } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadMasterKey, MasterKeyError, masterKeyOf, matchesCheckValue } from './master-key.ts';

const BYTES = Buffer.alloc(32, 5);
const BASE64 = BYTES.toString('base64');
let root = '';
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'gh-key-'));
});
afterAll(() => rm(root, { recursive: true }));

test('the same bytes are the same key, other bytes another', () => {
  const [one, same, other] = [masterKeyOf(BYTES), masterKeyOf(BYTES), masterKeyOf(Buffer.alloc(32, 6))];
  expect(one.id).toBe(same.id);
  expect(one.id).toMatch(/^[0-9a-f]{16}$/);
  expect(other.id).not.toBe(one.id);
  expect(matchesCheckValue(same, one.checkValue)).toBe(true);
  expect(matchesCheckValue(other, one.checkValue)).toBe(false);
  expect(matchesCheckValue(one, '')).toBe(false);
});

test('subkeys are HKDF-SHA-256 of their purpose', () => {
  const key = masterKeyOf(BYTES);
  const expected = hkdfSync('sha256', BYTES, Buffer.alloc(0), 'gatehouse-v1/subkey/cursors', 32);
  expect(key.subkey('cursors').equals(Buffer.from(expected))).toBe(true);
  expect(key.subkey('other').equals(key.subkey('cursors'))).toBe(false);
  expect(key.subkey('key check').toString('hex')).not.toBe(key.checkValue);
});

describe('loading', () => {
  test('from the setting and from a file', async () => {
    await writeFile(join(root, 'given'), `${BASE64}\n`);
    const { id } = masterKeyOf(BYTES);
    expect((await loadMasterKey({ kind: 'key', base64: BASE64 })).id).toBe(id);
    expect((await loadMasterKey({ kind: 'file', path: join(root, 'given') })).id).toBe(id);
  });

  test('from the data folder: made once, mode 0600, also by many at a time', async () => {
    const source = { kind: 'dataDirectory', dataDirectory: join(root, 'data') } as const;
    const keys = await Promise.all(Array.from({ length: 8 }, () => loadMasterKey(source)));
    expect(new Set(keys.map(({ id }) => id)).size).toBe(1);
    expect((await loadMasterKey(source)).id).toBe(keys[0]?.id);
    expect(await readdir(join(root, 'data'))).toEqual(['master.key']);
    expect((await stat(join(root, 'data', 'master.key'))).mode & 0o777).toBe(0o600);
  });

  test('refuses what is no key, without repeating it', async () => {
    await writeFile(join(root, 'bad'), 'hunter2');
    const refusal = loadMasterKey({ kind: 'file', path: join(root, 'bad') });
    await expect(refusal).rejects.toThrow(MasterKeyError);
    await expect(refusal).rejects.not.toThrow('hunter2');
    await expect(loadMasterKey({ kind: 'key', base64: 'c2hvcnQ=' })).rejects.toThrow('32 bytes in base64');
    expect(() => masterKeyOf(Buffer.alloc(31))).toThrow(MasterKeyError);
  });

  test('refuses a file that is missing: only the data folder gets a new key', async () => {
    await expect(loadMasterKey({ kind: 'file', path: join(root, 'none') })).rejects.toThrow('no master key file');
    await expect(readFile(join(root, 'none'))).rejects.toThrow('ENOENT');
  });

  test('refuses a damaged key in the data folder instead of replacing it', async () => {
    await writeFile(join(root, 'master.key'), 'damaged');
    await expect(loadMasterKey({ kind: 'dataDirectory', dataDirectory: root })).rejects.toThrow('master.key must hold');
    expect(await readFile(join(root, 'master.key'), 'utf8')).toBe('damaged');
  });
});
