import { appendFileSync } from 'node:fs';
import { afterAll, beforeAll, expect } from 'vitest';

// A worker runs one test file at a time, so its CPU time is the cost of the file. Imports are counted separately,
// because the first file of a worker also pays for the imports that later files share with it.
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
