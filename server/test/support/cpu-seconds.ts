import { appendFileSync } from 'node:fs';
import { afterAll, expect } from 'vitest';

// Writes what each file cost, for the list of the dearest that ends a run (tools/gate/report.mjs). It is the CPU time of
// the worker, which runs one file at a time and holds the service; that of PostgreSQL belongs to nobody in particular.
const path = process.env['GATEHOUSE_TEST_COSTS'];
const before = process.cpuUsage();

if (path !== undefined) {
  afterAll(() => {
    const { system, user } = process.cpuUsage(before);
    const file = expect.getState().testPath;
    appendFileSync(path, `${JSON.stringify({ file, milliseconds: Math.round((system + user) / 1_000) })}\n`);
  });
}
