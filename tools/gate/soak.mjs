// `npm run test:soak` runs the tests that take hours. Each finished step is noted below `.soak/`, so that a soak that
// was stopped goes on where it was when it is started again with the same sources. `npm run test:soak -- --fresh`
// starts over.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureBuilt, ROOT } from '../setup.mjs';
import { programOf } from './checks.mjs';
import { runCoverage } from './coverage.mjs';
import { count, countedSoFar } from './report.mjs';
import { openSoakState, partsOf, sumOf } from './soak-state.mjs';
import { runTests } from './vitest.mjs';

const releases = JSON.parse(readFileSync(join(ROOT, 'releases.json'), 'utf8'));
const FOLDER = join(ROOT, '.soak');

/** Programs that exit with 0 if they find no fault. Those with rounds understand `--rounds`, `--first` and `--sums`. */
const PROGRAMS = [
  { command: ['crash-test.ts', '--built'], rounds: 50 },
  { command: ['crash-test.ts', '--calls', '--built'], rounds: 20 },
  { command: ['failover-test.ts', '--built'], rounds: 100, roundsEach: 10 },
  { command: ['failover-test.ts', '--kills', '--built'], rounds: 1_000, roundsEach: 50 },
  { command: ['failover-test.ts', '--balancer', 'haproxy', '--database', 'haproxy', '--built'], rounds: 20 },
  { command: ['second-site-test.ts', '--built', '--rounds', '10'] },
  { command: ['rolling-restart.ts', '--built'] },
  { command: ['backup-test.ts', '--built'] },
  { command: ['mutations.ts'] },
  ...releases.slice(0, -1).map(({ commit }) => ({ command: ['two-versions.ts', commit, '--built'] })),
];

const git = (...args) => spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' }).stdout ?? '';

/** Names the sources: the commit, and the changes that are not committed. */
function sourcesKey() {
  const commit = git('rev-parse', '--short=12', 'HEAD').trim() || 'no-commit';
  const changes = git('status', '--porcelain') + git('diff', 'HEAD');
  return changes === '' ? commit : `${commit}-${createHash('sha256').update(changes).digest('hex').slice(0, 12)}`;
}

/** Runs a step and notes its result, unless it has finished before. `run` may return the figures of the step. */
function step(state, name, run) {
  const noted = state.resultOf(name);
  if (noted !== undefined) {
    console.log(`\n== ${name}: finished before`);
    count(name, noted, Date.now() - noted.seconds * 1_000);
    return noted;
  }
  const [before, started] = [countedSoFar(), Date.now()];
  const figures = run(started);
  const { failed, passed } = countedSoFar();
  const seconds = Math.round((Date.now() - started) / 1_000);
  const result = { passed: passed - before.passed, failed: failed - before.failed, seconds, figures };
  state.finish(name, result);
  return result;
}

function runPart({ command, name }, hasRounds, started) {
  console.log(`\n== ${name}`);
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-soak-'));
  try {
    const sums = join(folder, 'sums.json');
    const [program, ...args] = hasRounds ? [...command, '--sums', sums] : command;
    const { signal, status } = spawnSync(
      process.execPath,
      programOf(['tsx/dist/cli.mjs', join(ROOT, 'tools', program), ...args]),
      { cwd: ROOT, stdio: 'inherit' },
    );
    // Somebody has stopped this part, so it must run again. With a status above 128, the signal ended a child of it.
    if (signal !== null || status > 128) throw new Error(`${name} was ended by ${signal ?? `status ${status}`}`);
    count(name, status === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 }, started);
    return existsSync(sums) ? JSON.parse(readFileSync(sums, 'utf8')) : {};
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs the steps that have not finished yet, all of them with `--fresh`. */
export async function runSoak(...args) {
  const state = openSoakState(FOLDER, sourcesKey(), { isFresh: args.includes('--fresh') });
  console.log(`The results of finished steps are in ${state.file}.`);
  step(state, 'coverage', () => {
    runCoverage();
  });
  step(state, 'property tests', () => {
    const folders = ['server/test/scale', 'server/test/matrices'];
    runTests('property tests, ten times as long', ['full'], folders, { GATEHOUSE_TEST_SOAK: '1' });
  });
  // A soak that goes on may find the build of other sources.
  await ensureBuilt();
  for (const program of PROGRAMS) {
    const hasRounds = program.rounds !== undefined;
    const results = partsOf(program).map((part) =>
      step(state, part.name, (started) => runPart(part, hasRounds, started)),
    );
    if (!hasRounds) continue;
    const sums = Object.entries(sumOf(results.map(({ figures = {} }) => figures)));
    console.log(`== ${program.command.join(' ')}: ${sums.map(([name, figure]) => `${name} ${figure}`).join(', ')}`);
  }
}
