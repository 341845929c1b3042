import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DEFECTS } from './defects.ts';

const ROOT = join(import.meta.dirname, '..', '..');

// A defect that can no longer be restored proves nothing, so a change to its code must update its entry in
// defects.json.
test('each known defect can be put back, and names a test that exists', () => {
  const stale = DEFECTS.filter(({ before, file, test: path }) => {
    const source = readFileSync(join(ROOT, file), 'utf8');
    return source.split(before).length !== 2 || !existsSync(join(ROOT, path));
  });
  expect(DEFECTS.length).toBeGreaterThanOrEqual(20);
  expect(stale.map(({ file, finding }) => `${finding}: ${file}`)).toEqual([]);
});
