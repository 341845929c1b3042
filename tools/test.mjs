// `npm test`: the whole gate. Every step runs, whatever failed before it; the last line is `N passed, N failed`, where
// every test counts and every other step counts as one. `npm test -- <filter>` runs the matching tests only,
// `--contract` the contract checks (.ci/run).
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findChromium } from './chromium.mjs';
import { checkNode, ensureInstalled, ROOT } from './setup.mjs';

const CHECKS = [
  { name: 'types', command: ['typescript/bin/tsc', '-p', '.'] },
  { name: 'lint', command: ['oxlint/bin/oxlint', '--type-aware', '--deny-warnings'] },
  { name: 'format', command: ['@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.'] },
  { name: 'walls', command: [join(ROOT, 'tools', 'walls.mjs')] },
  { name: 'dead code', command: ['knip/bin/knip.js', '--no-progress'] },
  { name: 'generated files are fresh', command: ['tsx/dist/cli.mjs', join(ROOT, 'tools', 'generate.ts'), '--check'] },
];

const totals = { passed: 0, failed: 0 };
const failures = [];
const count = (name, { passed, failed }) => {
  totals.passed += passed;
  totals.failed += failed;
  if (failed > 0) failures.push(name);
};

function timed(name, work) {
  console.log(`\n== ${name}`);
  const started = Date.now();
  const result = work();
  count(name, result);
  const verdict = result.failed === 0 ? 'ok' : 'FAILED';
  console.log(`== ${name}: ${verdict} (${((Date.now() - started) / 1000).toFixed(1)} s)`);
}

/** Runs a package's program by its file, so that neither npx nor a PATH is needed. Paths are absolute or a package's. */
const runNode = ([program, ...args], env = {}) =>
  spawnSync(process.execPath, [program.startsWith(ROOT) ? program : join(ROOT, 'node_modules', program), ...args], {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  }).status === 0;

const check = (command) => (runNode(command) ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 });

/** A file that can't be loaded, an error outside every test, and a run without tests are failures too. */
function countTests(reportPath, succeeded) {
  if (!existsSync(reportPath)) return { passed: 0, failed: 1 };
  const report = JSON.parse(readFileSync(reportPath, 'utf8'));
  const unloaded = report.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  ).length;
  const failed = report.numFailedTests + unloaded;
  if (report.numPendingTests > 0) console.log(`${report.numPendingTests} tests skipped`);
  const unexplained = failed === 0 && (!succeeded || report.numTotalTests === 0) ? 1 : 0;
  return { passed: report.numPassedTests, failed: failed + unexplained };
}

function runTests(projects, filters = [], env = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-test-'));
  try {
    const report = join(folder, 'report.json');
    const selected = projects.flatMap((project) => ['--project', project]);
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
    const succeeded = runNode(['vitest/vitest.mjs', 'run', ...selected, ...reporters, ...filters], env);
    return countTests(report, succeeded);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const hasTests = (folder) =>
  existsSync(folder) && readdirSync(folder, { recursive: true }).some((name) => name.endsWith('.test.ts'));

function browserTests() {
  const chromium = findChromium();
  if (chromium !== undefined) return runTests(['browser'], [], { CHROMIUM_PATH: chromium });
  console.log('!! NO CHROMIUM: THE BROWSER TESTS DID NOT RUN. Install chromium or set CHROMIUM_PATH.');
  // On a developer's machine that is a warning; a gate that did not look must not pass.
  return { passed: 0, failed: process.env.CI === undefined ? 0 : 1 };
}

checkNode();
await ensureInstalled();
const filters = process.argv.slice(2);
if (filters[0] === '--contract') {
  timed('contract checks', () => runTests(['contract'], filters.slice(1)));
} else if (filters.length > 0) {
  timed('tests', () => runTests(['unit', 'http'], filters));
} else {
  for (const { name, command } of CHECKS) timed(name, () => check(command));
  timed('unit and HTTP tests', () => runTests(['unit', 'http']));
  if (hasTests(join(ROOT, 'server', 'test', 'browser'))) timed('browser tests', browserTests);
}
if (failures.length > 0) console.log(`\nFailed: ${failures.join(', ')}`);
console.log(`\n${totals.passed} passed, ${totals.failed} failed`);
process.exit(totals.failed === 0 ? 0 : 1);
