import * as fc from 'fast-check';
import type { DrainFault } from './log-model-faults.ts';
import type { DrainRun } from './log-model-relay.ts';
import { command, index, kinds, MOST_OPEN_WRITERS, pick, relayIndex } from './log-model-run.ts';

// Commands of the model test that run drains, interrupt them, or switch the table to which they append.

/** A fault occurs at this statement of a drain, at an earlier one, or at the drain's commit. */
const LAST_FAULTY_STATEMENT = 8;

const fault: fc.Arbitrary<DrainFault | null> = fc.oneof(
  { arbitrary: fc.constant(null), weight: 1 },
  {
    arbitrary: fc.record({
      kind: fc.constantFrom('throwBefore', 'throwAfter', 'killBefore', 'killAfter', 'pause', 'pause', 'pause'),
      at: fc.oneof({ arbitrary: fc.integer({ min: 1, max: LAST_FAULTY_STATEMENT }), weight: 3 }, fc.constant('commit')),
    }),
    weight: 2,
  },
);

export const drain = fc.tuple(relayIndex, fault, fc.integer({ min: 0, max: 3 })).map(([relay, drainFault, lie]) =>
  command(
    [
      'drain',
      relay,
      ...(drainFault === null ? [] : [drainFault.kind, drainFault.at]),
      ...(lie === 0 ? ['no lock'] : []),
    ].join(' '),
    ({ world }) => !pick(world.relays, relay).isUnderWay && world.orgs.some((org) => org.waiting.length > 0),
    async ({ world }) => world.reconcile(await pick(world.relays, relay).drain(drainFault, lie === 0)),
  ),
);

export const goOn = fc.tuple(relayIndex, fc.constantFrom('goOn', 'goOn', 'kill')).map(([relay, how]) =>
  command(
    `${how}(${relay})`,
    ({ world }) => pick(world.relays, relay).isPaused,
    async ({ world }) => {
      const ended: DrainRun[] = await pick(world.relays, relay).end(how);
      // Once this relay's drain has ended, a drain that waited for its locks can end.
      for (const other of world.relays) if (!other.isPaused) ended.push(...(await other.end('goOn')));
      await world.reconcile(ended);
    },
  ),
);

/**
 * This command lets two relays hold the lock. One relay pauses before its commit. Then events are committed, and the
 * other relay runs a drain.
 */
export const race = fc.tuple(index, kinds, fc.constantFrom('goOn', 'kill')).map(([org, events, how]) =>
  command(
    `race(${org % 3}: ${events.join(' ')}, ${how})`,
    ({ world }) =>
      world.writers.length < MOST_OPEN_WRITERS &&
      world.orgs.some((one) => one.waiting.length > 0) &&
      world.relays.every((relay) => !relay.isUnderWay),
    async ({ world }) => {
      const [one, other] = world.relays;
      // New relays remember no org, so both drains start with the same org.
      for (const relay of world.relays) relay.replace();
      await world.reconcile(await one.drain({ kind: 'pause', at: 'commit' }, false));
      await world.beginWriter(org, events);
      await world.endWriter(world.writers.length - 1, 'commit');
      await world.reconcile();
      const ended: DrainRun[] = await other.drain(null, true);
      ended.push(...(await one.end(how)), ...(await other.end('goOn')));
      await world.reconcile(ended);
    },
  ),
);

/** Without this condition, almost every run would switch among its first commands. */
const seldomly = fc.nat({ max: 2 });

export const switchLog = seldomly.map((chance) =>
  command(
    `switch(${chance})`,
    ({ world }) => chance === 0 && !world.isSwitched,
    ({ world }) => world.switchLog(),
  ),
);

/** The statements of a drain between which it has looked for the table, and has not committed. */
const afterLook = fc.integer({ min: 4, max: 7 });

/**
 * This command switches while a relay is between two statements. Then another relay drains, which looks for the table
 * only after the switch.
 */
export const switchWithin = fc.tuple(seldomly, afterLook, fc.constantFrom('goOn', 'kill')).map(([chance, at, how]) =>
  command(
    `switchWithin(${chance}, ${at}, ${how})`,
    ({ world }) =>
      chance === 0 &&
      !world.isSwitched &&
      world.orgs.some((one) => one.waiting.length > 0) &&
      world.relays.every((relay) => !relay.isUnderWay),
    async ({ world }) => {
      const [one, other] = world.relays;
      for (const relay of world.relays) relay.replace();
      await world.reconcile(await one.drain({ kind: 'pause', at }, false));
      await world.switchLog();
      const ended: DrainRun[] = await other.drain(null, true);
      ended.push(...(await one.end(how)), ...(await other.end('goOn')));
      await world.reconcile(ended);
    },
  ),
);
