// `npx tsx tools/failover-test.ts [--rounds 14] [--blows killPostgres,pausePrimary] [--writers 16] [--built]
// [--balancer haproxy] [--database haproxy]` strikes a primary and its two standbys under Patroni, and two nodes of
// Gatehouse behind a balancer, while clients write and a poller reads. It checks that no acknowledged change or event
// is lost or doubled. With `--balancer haproxy`, HAProxy is the balancer; with `--database haproxy`, the nodes know
// only its address (docs/operate/nodes.md). With `--kills`, all blows are kill -9: of PostgreSQL, a node, the worker
// that numbers the events, or a process that seals them. `--first 10` begins with the eleventh blow, and `--sums`
// names a file for the sums. The program needs root, because each machine is a network namespace. Missing packages are
// installed from Debian. The exit code is 1 if there is a fault.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { FROM_BUILD, FROM_SOURCES } from './crash/service-process.ts';
import { installPackages } from './debian-packages.ts';
import { BLOWS, type BlowName, KILLS } from './failover/blows.ts';
import { FAILOVER_PACKAGES } from './failover/packages.ts';
import { type FailoverRound, runFailovers } from './failover/rounds.ts';
import { HAPROXY } from './nodes/haproxy.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string' },
    blows: { type: 'string', default: '' },
    kills: { type: 'boolean', default: false },
    first: { type: 'string', default: '0' },
    sums: { type: 'string' },
    writers: { type: 'string', default: '16' },
    built: { type: 'boolean', default: false },
    balancer: { type: 'string', default: 'tool' },
    database: { type: 'string', default: 'hosts' },
  },
});
const print = (line: string): void => void process.stdout.write(`${line}\n`);
const MOST_TOLD = 20;
const [isBehindHaproxy, findsByHaproxy] = [values.balancer === 'haproxy', values.database === 'haproxy'];

const isBlow = (name: string): name is BlowName => Object.hasOwn(BLOWS, name);

function wantedBlows(): readonly BlowName[] {
  const given = values.blows.split(',').filter((name) => name !== '');
  const unknown = given.filter((name) => !isBlow(name));
  if (unknown.length > 0)
    throw new Error(`no such blow: ${unknown.join(', ')}; there are ${Object.keys(BLOWS).join(', ')}`);
  const all = values.kills ? KILLS : Object.keys(BLOWS).filter(isBlow);
  const names = given.length === 0 ? all : given.filter(isBlow);
  const rounds = Number(values.rounds ?? names.length);
  const first = Number(values.first);
  return Array.from({ length: rounds }, (_, index) => names[(first + index) % names.length] ?? 'killPostgres');
}

const sum = (rounds: readonly FailoverRound[], of: (round: FailoverRound) => number): number =>
  rounds.reduce((total, round) => total + of(round), 0);

/** The figures of a part of a soak. */
const figuresOf = (rounds: readonly FailoverRound[]): Readonly<Record<string, number>> => ({
  rounds: rounds.length,
  acknowledged: sum(rounds, ({ acknowledged }) => acknowledged),
  doubtful: sum(rounds, ({ doubtful }) => doubtful),
  refusals: sum(rounds, ({ refusals }) => refusals),
  faults: sum(rounds, ({ faults }) => faults.length),
  longestOutageMilliseconds: Math.round(Math.max(0, ...rounds.map(({ outageMilliseconds }) => outageMilliseconds))),
});

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
  ...FAILOVER_PACKAGES,
  ...(isBehindHaproxy || findsByHaproxy ? { [HAPROXY]: 'haproxy' } : {}),
});
const rounds = await runFailovers({
  launch: values.built ? FROM_BUILD : FROM_SOURCES,
  blows: wantedBlows(),
  writers: Number(values.writers),
  balancer: isBehindHaproxy ? 'haproxy' : 'tool',
  database: findsByHaproxy ? 'haproxy' : 'hosts',
  print,
});
for (const name of new Set(rounds.map(({ blow }) => blow)))
  print(`${name}: ${summaryOf(rounds.filter(({ blow }) => blow === name))}`);
for (const fault of rounds.flatMap(({ faults }) => faults).slice(0, MOST_TOLD)) print(`  ${fault}`);
print(summaryOf(rounds));
if (values.sums !== undefined) writeFileSync(values.sums, JSON.stringify(figuresOf(rounds)));
process.exit(rounds.some(({ faults }) => faults.length > 0) ? 1 : 0);
