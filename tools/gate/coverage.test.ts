import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { belowFloors, coverageByFolder, folderOf } from './coverage.mjs';

const ROOT = join(import.meta.dirname, '..', '..');

const totals = (covered: number, total: number) => ({
  lines: { covered, total },
  branches: { covered: total, total },
});

test('the files of a slice count together, and the files of an area without slices', () => {
  expect(['main.ts', 'search/walk/driver.ts', 'oauth/routes.ts', 'oauth/token/token.ts'].map(folderOf)).toEqual([
    '.',
    'search',
    'oauth',
    'oauth/token',
  ]);
  const files = [
    ['oauth/token/token.ts', totals(1, 1)],
    ['oauth/token/routes.ts', totals(1, 2)],
    ['search/types.ts', totals(0, 0)],
  ] as const;
  expect(coverageByFolder(files)).toEqual({
    'oauth/token': { lines: 66.6, branches: 100 },
    search: { lines: 100, branches: 100 },
  });
});

test('a folder is named that lost more than a race may cost, and no other', () => {
  const floors = {
    access: { lines: 98, branches: 90 },
    gone: { lines: 98, branches: 90 },
    search: { lines: 98, branches: 90 },
  };
  const measured = { access: { lines: 97, branches: 88.9 }, search: { lines: 97.5, branches: 89 } };
  expect(belowFloors(measured, floors)).toEqual(['access: 88.9 % of the branches are covered, and 90 % were before']);
});

test('every folder with sources has a floor', () => {
  const floors: object = JSON.parse(readFileSync(join(ROOT, 'tools', 'gate', 'coverage-floors.json'), 'utf8'));
  const sources = readdirSync(join(ROOT, 'server', 'src'), { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && !name.endsWith('.test.ts'),
  );
  const folders = [...new Set(sources.map(folderOf))].sort();
  expect(Object.keys(floors).sort()).toEqual(folders);
});
