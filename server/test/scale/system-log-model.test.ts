import * as fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { beforeTests } from '../support/before-tests.ts';
import { openTestDatabase } from '../support/database.ts';
import { finishRun, openRun, runCommands } from '../support/log-model-commands.ts';
import { REFUSE_POISON } from '../support/log-model-world.ts';

const DEFAULT_RUNS = 20;
// For a long run, set GATEHOUSE_MODEL_RUNS, for example to 300. To repeat a run, set GATEHOUSE_MODEL_SEED to its seed.
const RUNS = Number(process.env['GATEHOUSE_MODEL_RUNS'] ?? DEFAULT_RUNS);
const SEED = process.env['GATEHOUSE_MODEL_SEED'];
const COMMANDS_PER_RUN = 220;
const MILLISECONDS_PER_RUN = 10_000;

const database = beforeTests(() => openTestDatabase({ maximumConnections: 20 }));

beforeAll(async () => {
  for (const text of REFUSE_POISON) await database.pool.query(text);
});

test(
  'writers, relays, sealers, faults, clocks, readers and the switch: the log has each event once, in order',
  async () => {
    const tally = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(runCommands(COMMANDS_PER_RUN), async (all) => {
        const run = await openRun(database, tally);
        try {
          await fc.asyncModelRun(() => ({ model: run, real: run }), all);
          await finishRun(run);
        } finally {
          await run.world.close();
        }
      }),
      { numRuns: RUNS, ...(SEED === undefined ? {} : { seed: Number(SEED) }) },
    );
    // By chance, some of the cases below may not happen in a hundred runs.
    if (RUNS <= 100) return;
    console.log(Object.fromEntries(tally));
    const happened = ['events moved', 'drains that failed', 'pollAcross', 'commits whose answer was lost'].concat([
      'switches',
      'switches that a drain held up',
      'switches during a drain',
      'events sealed',
      'sealers that failed',
    ]);
    for (const what of happened) expect(tally.get(what), what).toBeGreaterThan(0);
  },
  RUNS * MILLISECONDS_PER_RUN + 30_000,
);
