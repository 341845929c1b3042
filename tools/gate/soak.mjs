// `npm run test:soak` runs the tests that take hours.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../setup.mjs';
import { programOf } from './checks.mjs';
import { runCoverage } from './coverage.mjs';
import { count } from './report.mjs';
import { runTests } from './vitest.mjs';

const releases = JSON.parse(readFileSync(join(ROOT, 'releases.json'), 'utf8'));

/** Programs that exit with 0 if they find no fault. */
const PROGRAMS = [
  ['crash-test.ts', '--rounds', '50', '--built'],
  ['crash-test.ts', '--rounds', '20', '--calls', '--built'],
  ['failover-test.ts', '--built', '--rounds', '100'],
  ['rolling-restart.ts', '--built'],
  ['backup-test.ts', '--built'],
  ['mutations.ts'],
  ...releases.slice(0, -1).map(({ commit }) => ['two-versions.ts', commit, '--built']),
];

export function runSoak() {
  runCoverage();
  runTests('property tests, ten times as long', ['full'], ['server/test/scale', 'server/test/matrices'], {
    GATEHOUSE_TEST_SOAK: '1',
  });
  for (const [program, ...args] of PROGRAMS) {
    const name = [program, ...args].join(' ');
    console.log(`\n== ${name}`);
    const started = Date.now();
    const command = programOf(['tsx/dist/cli.mjs', join(ROOT, 'tools', program), ...args]);
    const { status } = spawnSync(process.execPath, command, { cwd: ROOT, stdio: 'inherit' });
    count(name, status === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 }, started);
  }
}
