import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isComplete, type LockedPackage, ROOT } from './setup.mjs';

type Packages = Readonly<Record<string, LockedPackage>>;

const elsewhere = process.platform === 'win32' ? 'linux' : 'win32';
const wanted = {
  '': { version: '0.1.0' },
  server: { version: '0.1.0' },
  'node_modules/fastify': { version: '5.12.8' },
  'node_modules/fastify/node_modules/pino': { version: '9.0.0' },
  'node_modules/typescript': { version: '6.0.3', dev: true },
  'node_modules/fsevents': { version: '2.3.3', optional: true, os: [elsewhere] },
};
const lean = {
  'node_modules/fastify': { version: '5.12.8' },
  'node_modules/fastify/node_modules/pino': { version: '9.0.0' },
};
const whole = { ...lean, 'node_modules/typescript': { version: '6.0.3' } };

test.each<[string, Packages, { toRun: boolean; toTest: boolean }]>([
  ['nothing', {}, { toRun: false, toTest: false }],
  ['what `npm start` installs', lean, { toRun: true, toTest: false }],
  ['what `npm test` installs', whole, { toRun: true, toTest: true }],
  ['an older tool', { ...lean, 'node_modules/typescript': { version: '5.0.0' } }, { toRun: true, toTest: false }],
  ['an older library', { ...whole, 'node_modules/fastify': { version: '5.0.0' } }, { toRun: false, toTest: false }],
  [
    'a missing library of a library',
    { 'node_modules/fastify': { version: '5.12.8' }, 'node_modules/typescript': { version: '6.0.3' } },
    { toRun: false, toTest: false },
  ],
])('%s is enough to run, or to test, or for neither', (_, installed, { toRun, toTest }) => {
  expect(isComplete(wanted, installed, true)).toBe(toRun);
  expect(isComplete(wanted, installed, false)).toBe(toTest);
});

test('what is started without the tools of a developer is built, too', () => {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as { packages: Packages };
  const needed = Object.entries(packages).filter(([, entry]) => entry.dev !== true);
  expect(needed.map(([path]) => path)).toContain('node_modules/esbuild');
  expect(needed.map(([path]) => path)).not.toContain('node_modules/typescript');
  expect(needed.length).toBeLessThan(180);
});
