import { expect, it } from 'vitest';
import { runCrashTest } from '../../../tools/crash/rounds.ts';
import { FROM_BUILD } from '../../../tools/crash/service-process.ts';

// This file tests faults F1, F4 and F21 (docs/faults.md). `tools/crash-test.ts` runs more rounds.
it('loses, halves and doubles nothing when server or PostgreSQL die under load, and recovers soon', async () => {
  const report = await runCrashTest({
    launch: FROM_BUILD,
    blows: ['killServer', 'killDatabase', 'restartDatabase'],
    writers: 4,
    recoveryLimitMilliseconds: 10_000,
    print: () => undefined,
  });
  expect(report.faults).toEqual([]);
  expect(report.rounds).toBe(3);
  expect(report.acknowledged).toBeGreaterThan(60);
}, 120_000);
