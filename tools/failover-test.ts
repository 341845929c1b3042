// `npx tsx tools/failover-test.ts [--rounds 14] [--blows killPostgres,pausePrimary] [--writers 16] [--built]` strikes a
// primary and its two standbys under Patroni, and two nodes of Gatehouse behind a balancer, while clients write and a
// poller reads. It checks that no acknowledged change or event is lost or doubled. It needs root, because each of them
// has a network namespace of its own. Missing packages are installed from Debian. The exit code is 1 if there is a
// fault.
import { parseArgs } from 'node:util';
import { FROM_BUILD, FROM_SOURCES } from './crash/service-process.ts';
import { installPackages } from './debian-packages.ts';
import { BLOWS, type BlowName } from './failover/blows.ts';
import { type FailoverRound, runFailovers } from './failover/rounds.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string' },
    blows: { type: 'string', default: '' },
    writers: { type: 'string', default: '16' },
    built: { type: 'boolean', default: false },
  },
});
const print = (line: string): void => void process.stdout.write(`${line}\n`);
const MOST_TOLD = 20;

const isBlow = (name: string): name is BlowName => Object.hasOwn(BLOWS, name);

function wantedBlows(): readonly BlowName[] {
  const given = values.blows.split(',').filter((name) => name !== '');
  const unknown = given.filter((name) => !isBlow(name));
  if (unknown.length > 0)
    throw new Error(`no such blow: ${unknown.join(', ')}; there are ${Object.keys(BLOWS).join(', ')}`);
  const names = given.length === 0 ? Object.keys(BLOWS).filter(isBlow) : given.filter(isBlow);
  const rounds = Number(values.rounds ?? names.length);
  return Array.from({ length: rounds }, (_, index) => names[index % names.length] ?? 'killPostgres');
}

const sum = (rounds: readonly FailoverRound[], of: (round: FailoverRound) => number): number =>
  rounds.reduce((total, round) => total + of(round), 0);

function summaryOf(rounds: readonly FailoverRound[]): string {
  const sorted = rounds.map(({ outageMilliseconds }) => outageMilliseconds).toSorted((one, other) => one - other);
  const at = (share: number): string => ((sorted[Math.floor((sorted.length - 1) * share)] ?? 0) / 1_000).toFixed(1);
  const counts = [
    `${sum(rounds, ({ acknowledged }) => acknowledged)} changes`,
    `${sum(rounds, ({ doubtful }) => doubtful)} in doubt`,
    `${sum(rounds, ({ refusals }) => refusals)} refused`,
    `${sum(rounds, ({ faults }) => faults.length)} faults`,
  ];
  const longest = `longest time without a change p50 ${at(0.5)} s, max ${at(1)} s`;
  return `rounds ${rounds.length}, ${counts.join(', ')}, ${longest}`;
}

installPackages({
  '/usr/lib/postgresql/15/bin/postgres': 'postgresql-15',
  '/usr/bin/patroni': 'patroni',
  '/usr/bin/etcd': 'etcd-server',
  '/usr/sbin/ip': 'iproute2',
  '/usr/share/doc/libfaketime/copyright': 'libfaketime',
});
const rounds = await runFailovers({
  launch: values.built ? FROM_BUILD : FROM_SOURCES,
  blows: wantedBlows(),
  writers: Number(values.writers),
  print,
});
for (const name of new Set(rounds.map(({ blow }) => blow)))
  print(`${name}: ${summaryOf(rounds.filter(({ blow }) => blow === name))}`);
for (const fault of rounds.flatMap(({ faults }) => faults).slice(0, MOST_TOLD)) print(`  ${fault}`);
print(summaryOf(rounds));
process.exit(rounds.some(({ faults }) => faults.length > 0) ? 1 : 0);
