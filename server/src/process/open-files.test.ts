import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { mostClients, openFilesLimit } from './open-files.ts';

const directory = mkdtempSync(join(tmpdir(), 'gatehouse-limits-'));
afterAll(() => rmSync(directory, { recursive: true }));

function limitIn(text: string): number | null {
  const file = join(directory, 'limits');
  writeFileSync(file, text);
  return openFilesLimit(file);
}

test('the soft limit is read where the system tells it', () => {
  const lines = (soft: string) =>
    `Limit  Soft Limit  Hard Limit  Units\nMax processes  7  8  processes\nMax open files   ${soft}   4096   files\n`;
  expect(limitIn(lines('1024'))).toBe(1_024);
  expect(limitIn(lines('unlimited'))).toBeNull();
  expect(limitIn('')).toBeNull();
  expect(openFilesLimit(join(directory, 'none'))).toBeNull();
});

test('clients leave room for the database and the rest', () => {
  expect(mostClients(1_024, 10)).toBe(950);
  expect(mostClients(64, 10)).toBe(16);
  expect(mostClients(null, 10)).toBeUndefined();
});
