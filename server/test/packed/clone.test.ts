import { existsSync } from 'node:fs';
import { chmod, cp, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { npmEnvironment } from '../support/npm.ts';
import { newPlace, type Place, type Program, runCommand, stopServer, whenReady } from '../support/server-process.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
/** Git ignores these folders, or the test does not need them. */
const NOT_CLONED = ['node_modules', 'dist', 'data', '.git', 'out'];

let clone: string;
let place: Place;
let server: Program | null = null;

beforeAll(async () => {
  clone = await realpath(await mkdtemp(join(tmpdir(), 'gatehouse-clone-')));
  // If the test runs as root, PostgreSQL runs as another user, who needs access to the clone.
  await chmod(clone, 0o755);
  await cp(ROOT, clone, { recursive: true, filter: (path) => !NOT_CLONED.includes(basename(path)) });
  place = await newPlace({ npm_config_prefer_offline: 'true' });
});
afterAll(async () => {
  if (server !== null) await stopServer(server);
  await rm(clone, { recursive: true, force: true });
  await place.remove();
});

test('the first start of a clone installs what running needs, without a warning', async () => {
  server = await whenReady(runCommand(place, ['npm', 'start'], npmEnvironment, clone));
  const { stderr, stdout } = server.output;
  expect(stderr).toContain('Installing packages');
  expect(`${stdout}${stderr}`).not.toMatch(/EBADENGINE|deprecated|install-scripts|allowScripts/);
  const isThere = (name: string) => existsSync(join(clone, 'node_modules', name));
  expect(['fastify', 'esbuild', 'typescript', 'vitest'].filter(isThere)).toEqual(['fastify', 'esbuild']);
}, 120_000);
