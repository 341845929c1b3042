// `npx tsx tools/second-site-test.ts [--rounds 6] [--writers 16] [--delay 30] [--still 2000] [--built]` loses a site
// with its nodes, PostgreSQL servers and etcd at a random time under load, and promotes a second site, whose servers
// follow asynchronously (docs/operate/failover.md). It counts what is lost, and checks that the rest is whole. WAL
// takes `delay` milliseconds to the second site. In every second round, the line stands still before the loss, for
// `still` milliseconds at most. The program needs root. The exit code is 1 if there is a fault; lost changes are none.
import { parseArgs } from 'node:util';
import { FROM_BUILD, FROM_SOURCES } from './crash/service-process.ts';
import { installPackages } from './debian-packages.ts';
import { FAILOVER_PACKAGES } from './failover/packages.ts';
import { runSecondSite, type SecondSiteRound } from './failover/second-site.ts';
import { HAPROXY } from './nodes/haproxy.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '6' },
    writers: { type: 'string', default: '16' },
    delay: { type: 'string', default: '30' },
    still: { type: 'string', default: '2000' },
    built: { type: 'boolean', default: false },
  },
});
const print = (line: string): void => void process.stdout.write(`${line}\n`);
const seconds = (milliseconds: number): string => (milliseconds / 1_000).toFixed(1);

function tell(number: number, round: SecondSiteRound): void {
  const verdict = round.faults.length === 0 ? 'good' : `${round.faults.length} FAULTS`;
  print(
    [
      `round ${number}: ${round.acknowledged} changes, the line stood still for ${seconds(round.stillMilliseconds)} s`,
      `the metric last said ${round.lagBytes} bytes`,
      `lost ${round.lost} changes of the last ${seconds(round.lostMilliseconds)} s`,
      `a primary with a standby after ${seconds(round.wholeMilliseconds)} s`,
      `the first change after ${seconds(round.changeMilliseconds)} s`,
      `the poller had read ${round.lostReadEvents} lost events and missed ${round.missedEvents} with its cursor`,
      verdict,
    ].join(', '),
  );
}

installPackages({ ...FAILOVER_PACKAGES, [HAPROXY]: 'haproxy' });
const faults: string[] = [];
for (let number = 1; number <= Number(values.rounds) && faults.length === 0; number += 1) {
  const round = await runSecondSite({
    launch: values.built ? FROM_BUILD : FROM_SOURCES,
    writers: Number(values.writers),
    delayMilliseconds: Number(values.delay),
    longestStillMilliseconds: number % 2 === 0 ? Number(values.still) : 0,
  });
  tell(number, round);
  faults.push(...round.faults);
}
for (const fault of faults.slice(0, 20)) print(`  ${fault}`);
print(`faults ${faults.length}`);
process.exit(faults.length === 0 ? 0 : 1);
