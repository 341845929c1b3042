import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findChromium } from '../../../tools/chromium.mjs';
import { installNode, NODE_RELEASES, npmEnvironment } from '../support/npm.ts';

const execute = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const VITEST = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');

const chromium = findChromium();
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-smoke-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Report {
  readonly numPassedTests: number;
  readonly numTotalTests: number;
  readonly testResults: readonly { readonly status: string; readonly name: string; readonly message: string }[];
}

/** Vitest sets variables for its workers. A vitest that this test starts would take them for its own. */
const environment = Object.fromEntries(
  Object.entries(npmEnvironment).filter(([name]) => !/^(VITEST|TINYPOOL)/.test(name)),
);

async function smokeTestsOn(release: string): Promise<Report> {
  const path = join(folder, `${release}.json`);
  const args = [VITEST, 'run', '--project', 'smoke', '--reporter=json', `--outputFile=${path}`];
  const env = { ...environment, CHROMIUM_PATH: chromium };
  // The command fails if a test fails, but the report then names the test. If there is no report, reading it fails.
  await execute(await installNode(release), args, { cwd: ROOT, env }).catch(() => undefined);
  return JSON.parse(await readFile(path, 'utf8')) as Report;
}

test.skipIf(chromium === undefined && process.env.CI === undefined).each(NODE_RELEASES)(
  'the smoke tests pass on Node %s',
  async (release) => {
    const { numPassedTests, numTotalTests, testResults } = await smokeTestsOn(release);
    expect(testResults.filter(({ status }) => status !== 'passed')).toEqual([]);
    expect(numPassedTests).toBe(numTotalTests);
    expect(numPassedTests).toBeGreaterThan(0);
  },
  300_000,
);
