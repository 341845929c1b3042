import { appendFileSync } from 'node:fs';
import { afterAll, beforeAll, expect } from 'vitest';

// A worker runs one test file at a time, in the same process as its service. The worker's CPU time is therefore the
// cost of the file. Imports are counted separately, because the first file of a worker pays for the imports of all
// others. tools/gate/report.mjs lists the most expensive files, and tools/gate/budgets.mjs limits each file. The CPU
// time of PostgreSQL is not counted.
const path = process.env['GATEHOUSE_TEST_COSTS'];
const begun = process.cpuUsage();

const milliseconds = ({ system, user }: NodeJS.CpuUsage): number => Math.round((system + user) / 1_000);

if (path !== undefined) {
  let imported = begun;
  let imports = 0;
  beforeAll(() => {
    imported = process.cpuUsage();
    imports = milliseconds(process.cpuUsage(begun));
  });
  afterAll(() => {
    const { testPath: file } = expect.getState();
    appendFileSync(path, `${JSON.stringify({ file, imports, tests: milliseconds(process.cpuUsage(imported)) })}\n`);
  });
}
