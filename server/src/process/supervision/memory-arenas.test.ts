import { afterEach, expect, test, vi } from 'vitest';
import { limitMemoryArenas } from './memory-arenas.ts';

afterEach(() => vi.unstubAllEnvs());

test.each([
  [undefined, '2'],
  ['8', '8'],
])('with MALLOC_ARENA_MAX %j, programs get %j', (chosen, passed) => {
  vi.stubEnv('MALLOC_ARENA_MAX', chosen);
  limitMemoryArenas();
  expect(process.env['MALLOC_ARENA_MAX']).toBe(passed);
});
