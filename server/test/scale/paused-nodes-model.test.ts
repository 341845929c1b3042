import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { type PausedStep, pausedSteps, runSteps } from '../support/paused-model-run.ts';
import { openStage, PausedWorld } from '../support/paused-model-world.ts';

// F33 (docs/faults.md). A node is paused at any of its packets to PostgreSQL, or just after it. Time passes, the other
// node goes on, and then the paused one. The model noticed the removal of each of these guards:
//
// | What | Guards |
// |---|---|
// | requests | the limit of 30 s; its question at the commit, in own and in shared transactions; the idle limit |
// | jobs | the lease in `claim`, `postpone` and `HeldLease`; `isHeld` before emails and notices to apps |
// | sinks | `isHeld` before a delivery; the fence of the progress |
// | relay | the idle limit of 10 s |
// | deletions | the org is active, in rows and at the end; the attribute is leaving; the window is as long |

const DEFAULT_RUNS = 4;
// For a long run, set GATEHOUSE_MODEL_RUNS, for example to 100. To repeat a run, set GATEHOUSE_MODEL_SEED to its seed.
const RUNS = Number(process.env['GATEHOUSE_MODEL_RUNS'] ?? DEFAULT_RUNS);
const SEED = process.env['GATEHOUSE_MODEL_SEED'];
const STEPS_PER_RUN = 10;
const MILLISECONDS_PER_RUN = 20_000;

test(
  'a node that has lost its right to write writes and sends nothing when it goes on',
  async () => {
    const tally = new Map<string, number>();
    const stage = await openStage();
    const run = async (steps: readonly PausedStep[]): Promise<void> => {
      const world = await PausedWorld.open(stage, tally);
      try {
        await runSteps(world, steps);
      } finally {
        world.close();
      }
    };
    try {
      await fc.assert(fc.asyncProperty(pausedSteps(STEPS_PER_RUN), run), {
        numRuns: RUNS,
        // A smaller example would need a database without the traces of the failure.
        endOnFailure: true,
        ...(SEED === undefined ? {} : { seed: Number(SEED) }),
      });
    } finally {
      await stage.close();
    }
    expect(tally.get('rights lost')).toBeGreaterThan(0);
    if (RUNS > DEFAULT_RUNS) console.log(Object.fromEntries(tally));
  },
  RUNS * MILLISECONDS_PER_RUN + 60_000,
);
