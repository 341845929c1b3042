import { appendFileSync } from 'node:fs';
import { afterAll, expect } from 'vitest';

// A worker runs one file at a time, together with its service, so that its CPU time is the cost of the file. A run ends
// with the list of the most expensive files (tools/gate/report.mjs). The CPU time of PostgreSQL belongs to no file and
// is not counted.
const path = process.env['GATEHOUSE_TEST_COSTS'];
const before = process.cpuUsage();

if (path !== undefined) {
  afterAll(() => {
    const { system, user } = process.cpuUsage(before);
    const file = expect.getState().testPath;
    appendFileSync(path, `${JSON.stringify({ file, milliseconds: Math.round((system + user) / 1_000) })}\n`);
  });
}
