import * as fc from 'fast-check';
import { drain, goOn, race, switchLog, switchWithin } from './log-model-drains.ts';
import { interrupted } from './log-model-faults.ts';
import { ModelPoller, ModelRangeReader, READER_KINDS } from './log-model-readers.ts';
import {
  always,
  command,
  index,
  kinds,
  MOST_OPEN_WRITERS,
  pick,
  type Run,
  type RunCommand,
  relayIndex,
} from './log-model-run.ts';
import { pollSealing, seal, sealAcross, sealKilled } from './log-model-seals.ts';
import { LogWorld, type WorldDatabase } from './log-model-world.ts';
import type { TestClock } from './system-log.ts';

const HOUR_MILLISECONDS = 3_600_000;
const BEGINNING = new Date('2026-11-19T00:00:00.000Z');
const NOON = new Date('2026-11-20T12:00:00.000Z');

export async function openRun(database: WorldDatabase, tally: Map<string, number>): Promise<Run> {
  const world = await LogWorld.open(database, tally);
  const [everything, ...narrow] = READER_KINDS;
  const pollers = world.orgs.flatMap((org, place) => [
    new ModelPoller(world.bench, org, everything ?? pick(READER_KINDS, 0), BEGINNING),
    new ModelPoller(world.bench, org, pick(narrow, place), NOON),
  ]);
  return { world, pollers, ranges: [] };
}

export async function finishRun({ world, pollers, ranges }: Run): Promise<void> {
  await world.settle();
  for (const poller of pollers) await poller.readOn();
  for (const range of ranges) while (!range.isDone) await range.read(1_000);
}

const limit = fc.oneof({ arbitrary: fc.integer({ min: 1, max: 7 }), weight: 4 }, fc.constantFrom(0, 100, 1_000));

const begin = fc.tuple(index, kinds).map(([org, events]) =>
  command(
    `begin(${org % 3}: ${events.join(' ')})`,
    ({ world }) => world.writers.length < MOST_OPEN_WRITERS,
    ({ world }) => world.beginWriter(org, events),
  ),
);

const write = fc.tuple(index, kinds).map(([org, events]) =>
  command(
    `write(${org % 3}: ${events.join(' ')})`,
    ({ world }) => world.writers.length < MOST_OPEN_WRITERS,
    async ({ world }) => {
      await world.beginWriter(org, events);
      await world.endWriter(world.writers.length - 1, 'commit');
      await world.reconcile();
    },
  ),
);

const end = fc.tuple(index, fc.constantFrom('commit', 'commit', 'commit', 'rollback', 'lost')).map(([writer, how]) =>
  command(
    `${how}(${writer})`,
    ({ world }) => world.writers.length > 0,
    async ({ world }) => {
      await world.endWriter(writer, how);
      await world.reconcile();
    },
  ),
);

const look = fc.constant(command('look', always, ({ world }) => world.look()));

const replace = relayIndex.map((relay) =>
  command(
    `newProcess(${relay})`,
    ({ world }) => !pick(world.relays, relay).isUnderWay,
    async ({ world }) => pick(world.relays, relay).replace(),
  ),
);

const clocksOf = ({ world }: Run): readonly TestClock[] => [
  world.writerClock,
  world.writerClock,
  ...world.relays.map((relay) => relay.clock),
];

const step = fc.oneof(
  { arbitrary: fc.integer({ min: 0, max: 50 }), weight: 6 },
  { arbitrary: fc.integer({ min: -2 * HOUR_MILLISECONDS, max: 2 * HOUR_MILLISECONDS }), weight: 3 },
  { arbitrary: fc.constantFrom(200 * HOUR_MILLISECONDS, -200 * HOUR_MILLISECONDS), weight: 1 },
);

const moveClock = fc.tuple(index, step).map(([clock, milliseconds]) =>
  command(`clock(${clock % 4}, ${milliseconds} ms)`, always, async (run) => {
    const moved = pick(clocksOf(run), clock);
    moved.set(new Date(moved.now().getTime() + milliseconds));
  }),
);

const poll = fc.tuple(index, limit, fc.boolean()).map(([poller, most, crashes]) =>
  command(`poll(${poller}, ${most}${crashes ? ', crash' : ''})`, always, async ({ pollers }) => {
    await pick(pollers, poller).poll(most, crashes);
  }),
);

/** This command runs a drain between two statements of a poll. */
const pollAcross = fc.tuple(index, limit, fc.integer({ min: 2, max: 6 })).map(([poller, most, at]) =>
  command(
    `pollAcross(${poller}, ${most}, ${at})`,
    ({ world, pollers }) => pick(pollers, poller).hasBegun && !world.relays[0].isUnderWay,
    async ({ world, pollers }) => {
      const drained = async () => world.reconcile(await world.relays[0].drain(null, false));
      await pick(pollers, poller).pollAcross(interrupted(world.bench.connections, at, drained), most);
    },
  ),
);

const restart = index.map((poller) =>
  command(
    `restart(${poller})`,
    ({ pollers }) => pick(pollers, poller).hasSeen,
    async ({ pollers }) => pick(pollers, poller).restart(),
  ),
);

const openRange = fc
  .tuple(index, index, fc.nat(), fc.nat(), fc.constantFrom('ASCENDING', 'DESCENDING'))
  .map(([org, kind, from, to, sortOrder]) =>
    command(
      `range(${org % 3}, ${kind % 4}, ${sortOrder})`,
      ({ ranges, world }) => ranges.length < 3 && world.org(org).ledger.length > 0,
      async ({ world, ranges }) => {
        // At least one bound is a time of publication, so that some event lies exactly on it.
        const { ledger } = world.org(org);
        const instants = [pick(ledger, from).published, pick(ledger, to).published, NOON];
        const [since = NOON, until = NOON] = instants.sort((one, other) => one.getTime() - other.getTime());
        const range = { since, until, sortOrder };
        ranges.push(new ModelRangeReader(world.bench, world.org(org), pick(READER_KINDS, kind), range));
      },
    ),
  );

const readRange = fc.tuple(index, fc.integer({ min: 1, max: 7 })).map(([range, most]) =>
  command(
    `readRange(${range}, ${most})`,
    ({ ranges }) => ranges.length > 0,
    async ({ ranges }) => pick(ranges, range).read(most),
  ),
);

const drainAll = fc.constant(
  command(
    'drainAll',
    ({ world }) => world.relays.every((relay) => !relay.isUnderWay),
    ({ world }) => world.drainAll(),
  ),
);

export const runCommands = (maximumCommands: number): fc.Arbitrary<Iterable<RunCommand>> => {
  const often = [
    write,
    write,
    write,
    begin,
    end,
    end,
    drain,
    drain,
    drain,
    goOn,
    goOn,
    poll,
    poll,
    poll,
    pollAcross,
    pollAcross,
  ];
  const seldom = [
    race,
    seal,
    seal,
    sealAcross,
    sealKilled,
    pollSealing,
    pollSealing,
    switchLog,
    switchWithin,
    look,
    look,
    look,
    replace,
    moveClock,
    moveClock,
    restart,
    openRange,
    readRange,
    readRange,
    drainAll,
  ];
  return fc.commands([...often, ...seldom], {
    maxCommands: maximumCommands,
    size: 'max',
  });
};
