import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { ROOT } from '../setup.mjs';
import { programOf } from './checks.mjs';
import { addCosts, count, remark } from './report.mjs';

const runNode = (command, env) =>
  spawnSync(process.execPath, programOf(command), {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  }).status === 0;

const failedTests = (file) => file.assertionResults.filter((test) => test.status === 'failed');
const namesOf = (files) =>
  files.map((file) => {
    const names = failedTests(file).map(({ fullName }) => fullName);
    return `${relative(ROOT, file.name)}: ${names.join('; ') || 'the file itself'}`;
  });

/** Faults other than failed tests, such as a file that does not load, count as failures. */
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

/** Runs vitest once. The report is null if vitest ended without one. */
function runVitest(projects, args, env) {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-test-'));
  try {
    const path = join(folder, 'report.json');
    const costs = join(folder, 'costs.jsonl');
    const selected = projects.flatMap((project) => ['--project', project]);
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${path}`];
    const succeeded = runNode(['vitest/vitest.mjs', 'run', ...selected, ...reporters, ...args], {
      ...env,
      GATEHOUSE_TEST_COSTS: costs,
    });
    addCosts(costs);
    return { succeeded, report: existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : null };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** If more files than this failed, none of the failed files runs again. */
const MOST_FILES_AGAIN = 4;

/**
 * Runs vitest. In CI, a few failed files run once more, alone, because a busy machine can starve a test. If they all
 * pass this time, no test counts as failed, but the files are listed.
 */
function runTwice(projects, args, env) {
  const { report, succeeded } = runVitest(projects, args, env);
  const first = countTests(report, succeeded);
  const files = (report?.testResults ?? []).filter(({ status }) => status === 'failed');
  const isWorthIt = process.env.CI !== undefined && files.length > 0 && files.length <= MOST_FILES_AGAIN;
  if (!isWorthIt) {
    for (const name of namesOf(files.slice(0, 20))) remark(`FAILED: ${name}`);
    return first;
  }
  console.log(`\n== once more, alone: ${files.length} files`);
  const again = runVitest(projects, ['--maxWorkers=1', ...files.map(({ name }) => name)], env);
  const second = countTests(again.report, again.succeeded);
  const verdict = second.failed > 0 ? 'FAILED' : 'PASSED ONLY WHEN RUN AGAIN';
  for (const name of namesOf(files)) remark(`${verdict}: ${name}`);
  if (second.failed > 0) return { passed: first.passed, failed: Math.max(first.failed, second.failed) };
  return { passed: first.passed + first.failed, failed: 0 };
}

/** Runs the tests of vitest projects and counts them. `args` are filters or options of vitest. */
export function runTests(name, projects, args = [], env = {}) {
  console.log(`\n== ${name}`);
  const started = Date.now();
  count(name, runTwice(projects, args, env), started);
}
