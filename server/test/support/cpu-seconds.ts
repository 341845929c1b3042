import { appendFileSync } from 'node:fs';
import { afterAll, beforeAll, expect } from 'vitest';

// A worker runs one file at a time and holds its service, so its CPU time is the cost of the file. Imports are counted
// separately from tests, because the first file of a worker pays for the imports of all others. The report lists the
// most expensive files (tools/gate/report.mjs), and no file may exceed its budget (tools/gate/budgets.mjs). The CPU
// time of PostgreSQL belongs to no file and is not counted.
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
