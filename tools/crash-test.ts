// `npx tsx tools/crash-test.ts --rounds 50 [--writers 6] [--built]` kills the server, its PostgreSQL, and a process
// that seals all events at once, in turn while clients write. It checks that no acknowledged change is lost, halved or
// doubled. The exit code is 1 if there is a fault. With `--calls [--clients 12] [--scripts 'Application,OAuth']
// [--load 1500]`, clients make random mutating API calls instead. `--first 50` begins with the blow of the 51st round,
// and `--sums` names a file for the sums.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type CallReport, runCallTest } from './crash/call-rounds.ts';
import { type Blow, type CrashReport, runCrashTest } from './crash/rounds.ts';
import { FROM_BUILD, FROM_SOURCES } from './crash/service-process.ts';

const SERVICE_BLOWS = ['killServer', 'killDatabase'] as const;
const BLOWS: readonly [Blow, ...Blow[]] = [...SERVICE_BLOWS, 'killSealer'];

const percentile = (sorted: readonly number[], share: number): number =>
  Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);

function summary(report: CrashReport): string {
  const sorted = [...report.recoveryMilliseconds].sort((one, other) => one - other);
  return [
    `rounds ${report.rounds}`,
    `acknowledged changes ${report.acknowledged}`,
    `events ${report.events}`,
    `segments ${report.segments}`,
    `in doubt ${report.doubtful}`,
    `503 ${report.refusals}`,
    `recovery p50 ${percentile(sorted, 0.5)} ms max ${percentile(sorted, 1)} ms`,
    `faults ${report.faults.length}`,
  ].join(', ');
}

function callSummary(report: CallReport): string[] {
  const totals = [...report.totals].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return [
    ...totals.map(([operation, total]) => `  ${operation}: ${total.acknowledged} acknowledged, ${total.lost} lost`),
    [
      `rounds ${report.rounds}`,
      `operations ${report.totals.size}`,
      `acknowledged calls ${report.acknowledged}`,
      `answers lost ${report.lost}, of which had happened ${report.happened}`,
      `events ${report.events}`,
      `faults ${report.faults.length}`,
    ].join(', '),
  ];
}

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '50' },
    writers: { type: 'string', default: '6' },
    built: { type: 'boolean', default: false },
    calls: { type: 'boolean', default: false },
    clients: { type: 'string', default: '12' },
    scripts: { type: 'string', default: '' },
    load: { type: 'string', default: '1500' },
    first: { type: 'string', default: '0' },
    sums: { type: 'string' },
  },
});
const print = (line: string): void => void process.stdout.write(`${line}\n`);
const launch = values.built ? FROM_BUILD : FROM_SOURCES;
const rounds = Number(values.rounds);
const first = Number(values.first);
const blowsOf = <Name>(names: readonly [Name, ...Name[]]): readonly Name[] =>
  Array.from({ length: rounds }, (_, index) => names[(first + index) % names.length] ?? names[0]);

function noteSums(report: CrashReport | CallReport): void {
  if (values.sums === undefined) return;
  const numbers = Object.entries(report).filter(([, value]) => typeof value === 'number');
  writeFileSync(values.sums, JSON.stringify({ ...Object.fromEntries(numbers), faults: report.faults.length }));
}

async function strikeCalls(): Promise<readonly string[]> {
  const scripts = values.scripts === '' ? [] : values.scripts.split(',');
  const clients = Number(values.clients);
  const report = await runCallTest({
    launch,
    rounds,
    blows: blowsOf(SERVICE_BLOWS),
    clients,
    scripts,
    longestLoadMilliseconds: Number(values.load),
    print,
  });
  for (const line of callSummary(report)) print(line);
  noteSums(report);
  return report.faults;
}

async function strikeWriters(): Promise<readonly string[]> {
  const report = await runCrashTest({
    launch,
    blows: blowsOf(BLOWS),
    writers: Number(values.writers),
    recoveryLimitMilliseconds: 30_000,
    print,
  });
  print(summary(report));
  noteSums(report);
  return report.faults;
}

const faults = await (values.calls ? strikeCalls() : strikeWriters());
for (const fault of faults) print(`  ${fault}`);
process.exitCode = faults.length === 0 ? 0 : 1;
