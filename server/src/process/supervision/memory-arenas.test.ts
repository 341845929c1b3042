import { expect, test } from 'vitest';
import { limitMemoryArenas } from './memory-arenas.ts';

test.each([
  ['absent', {}, '2'],
  ['set by the operator', { MALLOC_ARENA_MAX: '8' }, '8'],
])('a limit of memory arenas that is %s', (_, given: NodeJS.ProcessEnv, limit) => {
  const environment = { ...given };
  limitMemoryArenas(environment);
  expect(environment['MALLOC_ARENA_MAX']).toBe(limit);
});
