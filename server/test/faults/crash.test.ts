import { expect, it } from 'vitest';
import { runCrashTest } from '../../../tools/crash/rounds.ts';
import { FROM_BUILD } from '../../../tools/crash/service-process.ts';

// This file tests faults F1, F4, F21 and F31 (docs/faults.md). `tools/crash-test.ts` runs more rounds.
it('loses, halves and doubles nothing when server, database or sealer die under load, and recovers soon', async () => {
  const report = await runCrashTest({
    launch: FROM_BUILD,
    blows: ['killServer', 'killDatabase', 'killSealer', 'restartDatabase'],
    writers: 4,
    recoveryLimitMilliseconds: 10_000,
    print: () => undefined,
  });
  expect(report.faults).toEqual([]);
  expect(report.rounds).toBe(4);
  expect(report.segments).toBeGreaterThan(0);
  expect(report.acknowledged).toBeGreaterThan(60);
}, 120_000);
