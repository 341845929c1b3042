// `npx tsx tools/crash-test.ts --rounds 50 [--built]`: kills the server and its PostgreSQL at random moments under a
// writing load and checks after each blow that nothing acknowledged is lost, halved or doubled. Exit code 1 at the
// first fault.
import { parseArgs } from 'node:util';
import { type Blow, type CrashReport, runCrashTest } from './crash/rounds.ts';
import { FROM_BUILD, FROM_SOURCES } from './crash/service-process.ts';

const BLOWS: readonly Blow[] = ['killServer', 'killDatabase'];

const percentile = (sorted: readonly number[], share: number): number =>
  Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);

function summary(report: CrashReport): string {
  const sorted = [...report.recoveryMilliseconds].sort((one, other) => one - other);
  return [
    `rounds ${report.rounds}`,
    `acknowledged changes ${report.acknowledged}`,
    `events ${report.events}`,
    `in doubt ${report.doubtful}`,
    `503 ${report.refusals}`,
    `recovery p50 ${percentile(sorted, 0.5)} ms max ${percentile(sorted, 1)} ms`,
    `faults ${report.faults.length}`,
  ].join(', ');
}

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '50' },
    writers: { type: 'string', default: '6' },
    built: { type: 'boolean', default: false },
  },
});
const print = (line: string): void => void process.stdout.write(`${line}\n`);
const report = await runCrashTest({
  launch: values.built ? FROM_BUILD : FROM_SOURCES,
  blows: Array.from({ length: Number(values.rounds) }, (_, index) => BLOWS[index % BLOWS.length] ?? 'killServer'),
  writers: Number(values.writers),
  recoveryLimitMilliseconds: 30_000,
  print,
});
for (const fault of report.faults) print(`  ${fault}`);
print(summary(report));
process.exitCode = report.faults.length === 0 ? 0 : 1;
