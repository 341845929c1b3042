// `npm test`: the whole gate. Every step runs, whatever failed before it; the last line is `N passed, N failed`, where
// every test counts and every other step counts as one. `npm test -- <filter>` runs the matching tests only,
// `--contract` the contract checks (.ci/run).
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
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
/** What the reader of the last lines wants to know by name. */
const remarks = [];
const count = (name, { passed, failed }) => {
  totals.passed += passed;
  totals.failed += failed;
  if (failed > 0) failures.push(name);
};

const told = (name, { failed }, started) =>
  console.log(`== ${name}: ${failed === 0 ? 'ok' : 'FAILED'} (${((Date.now() - started) / 1000).toFixed(1)} s)`);

function timed(name, work) {
  console.log(`\n== ${name}`);
  const started = Date.now();
  const result = work();
  count(name, result);
  told(name, result, started);
}

/** Arguments of Node for a package's program by its file, so that neither npx nor a PATH is needed. */
const programOf = ([program, ...args]) => [
  program.startsWith(ROOT) ? program : join(ROOT, 'node_modules', program),
  ...args,
];

const runNode = (command, env = {}) =>
  spawnSync(process.execPath, programOf(command), {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  }).status === 0;

/** Two at a time; each one's output in one piece when it has ended. */
async function runChecks() {
  const waiting = [...CHECKS];
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { command, name } = next;
      const started = Date.now();
      const child = spawn(process.execPath, programOf(command), { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
      const output = [];
      child.stdout.on('data', (chunk) => output.push(chunk));
      child.stderr.on('data', (chunk) => output.push(chunk));
      const [code] = await once(child, 'close');
      const result = code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
      count(name, result);
      console.log(`\n== ${name}\n${Buffer.concat(output)}`);
      told(name, result, started);
    }
  };
  await Promise.all([work(), work()]);
}

const failedTests = (file) => file.assertionResults.filter((test) => test.status === 'failed');
const namesOf = (files) =>
  files.map((file) => {
    const names = failedTests(file).map(({ fullName }) => fullName);
    return `${relative(ROOT, file.name)}: ${names.join('; ') || 'the file itself'}`;
  });

/** A file that can't be loaded, an error outside every test, and a run without tests are failures too. */
function countTests(report, succeeded) {
  if (report === null) return { passed: 0, failed: 1 };
  const unloaded = report.testResults.filter(
    (file) => file.status === 'failed' && failedTests(file).length === 0,
  ).length;
  const failed = report.numFailedTests + unloaded;
  if (report.numPendingTests > 0) console.log(`${report.numPendingTests} tests skipped`);
  const unexplained = failed === 0 && (!succeeded || report.numTotalTests === 0) ? 1 : 0;
  return { passed: report.numPassedTests, failed: failed + unexplained };
}

/** Runs vitest; its report is null where it ended without one. */
function runVitest(projects, args, env) {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-test-'));
  try {
    const path = join(folder, 'report.json');
    const selected = projects.flatMap((project) => ['--project', project]);
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${path}`];
    const succeeded = runNode(['vitest/vitest.mjs', 'run', ...selected, ...reporters, ...args], env);
    return { succeeded, report: existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : null };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** More files than these were not failed by a busy machine. */
const MOST_FILES_AGAIN = 4;

/**
 * In the gate the few files that failed run once more, alone and from their beginning, because two workers on a busy
 * machine can starve a test of time. What passes only then counts as passed and is said by name: it is to be mended.
 */
function runTests(projects, filters = [], env = {}) {
  const { report, succeeded } = runVitest(projects, filters, env);
  const first = countTests(report, succeeded);
  const files = (report?.testResults ?? []).filter(({ status }) => status === 'failed');
  const isWorthIt = process.env.CI !== undefined && files.length > 0 && files.length <= MOST_FILES_AGAIN;
  if (!isWorthIt) {
    remarks.push(...namesOf(files.slice(0, 20)).map((name) => `FAILED: ${name}`));
    return first;
  }
  console.log(`\n== once more, alone: ${files.length} files`);
  const again = runVitest(projects, ['--maxWorkers=1', ...files.map(({ name }) => name)], env);
  const second = countTests(again.report, again.succeeded);
  const verdict = second.failed > 0 ? 'FAILED' : 'PASSED ONLY WHEN RUN AGAIN';
  remarks.push(...namesOf(files).map((name) => `${verdict}: ${name}`));
  if (second.failed > 0) return { passed: first.passed, failed: Math.max(first.failed, second.failed) };
  return { passed: first.passed + first.failed, failed: 0 };
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
  await runChecks();
  timed('unit and HTTP tests', () => runTests(['unit', 'http']));
  if (hasTests(join(ROOT, 'server', 'test', 'browser'))) timed('browser tests', browserTests);
}
for (const remark of remarks) console.log(`!! ${remark}`);
if (failures.length > 0) console.log(`\nFailed: ${failures.join(', ')}`);
console.log(`\n${totals.passed} passed, ${totals.failed} failed`);
process.exit(totals.failed === 0 ? 0 : 1);
