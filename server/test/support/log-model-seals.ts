import * as fc from 'fast-check';
import { interrupted } from './log-model-faults.ts';
import { command, index, pick } from './log-model-run.ts';
import type { SealingPart } from './log-model-world.ts';

// Commands of the model test that seal events, at any moment of relays and readers.

const part: fc.Arbitrary<SealingPart> = fc.record({
  left: fc.integer({ min: 0, max: 6 }),
  maximumEvents: fc.integer({ min: 1, max: 7 }),
});

export const seal = fc.tuple(index, part).map(([org, sealed]) =>
  command(
    `seal(${org % 3}, all but ${sealed.left}, ${sealed.maximumEvents})`,
    ({ world }) => world.org(org).ledger.length > 0,
    ({ world }) => world.seal(org, sealed),
  ),
);

/** A connection of the sealer ends before one of its statements, or before the answer of it arrives. */
export const sealKilled = fc
  .tuple(index, part, fc.constantFrom('killBefore', 'killAfter'), fc.integer({ min: 1, max: 12 }))
  .map(([org, sealed, kind, at]) =>
    command(
      `sealKilled(${org % 3}, ${kind} ${at})`,
      ({ world }) => world.org(org).ledger.length > 0,
      ({ world }) => world.sealKilled(org, sealed, { kind, at }),
    ),
  );

/** This command runs a drain between two statements of a sealer. */
export const sealAcross = fc.tuple(index, part, fc.integer({ min: 1, max: 4 })).map(([org, sealed, at]) =>
  command(
    `sealAcross(${org % 3}, ${at})`,
    ({ world }) => world.org(org).ledger.length > 0 && !world.relays[0].isUnderWay,
    async ({ world }) => {
      let hasDrained = false;
      const drained = async () => {
        if (!hasDrained) await world.reconcile(await world.relays[0].drain(null, false));
        hasDrained = true;
      };
      await world.seal(org, sealed, interrupted(world.bench.connections, at, drained));
    },
  ),
);

/** This command seals events of all orgs between two statements of a poll. */
export const pollSealing = fc
  .tuple(index, fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 9 }), part)
  .map(([poller, most, at, sealed]) =>
    command(
      `pollSealing(${poller}, ${most}, ${at})`,
      ({ pollers }) => pick(pollers, poller).hasBegun,
      async ({ world, pollers }) => {
        const act = async () => {
          for (const org of world.orgs.keys()) await world.seal(org, sealed);
        };
        await pick(pollers, poller).pollAcross(interrupted(world.bench.connections, at, act), most);
      },
    ),
  );
