import { appendFileSync } from 'node:fs';
import { afterAll, beforeAll, expect } from 'vitest';
import { slowness } from './cpu-time.ts';

// A worker runs one test file at a time, so its CPU time is the cost of the file. Imports are counted separately,
// because the first file of a worker also pays for the imports that later files share with it. Costs are given for the
// usual machine: on a slower one, the same work takes more CPU time.
const path = process.env['GATEHOUSE_TEST_COSTS'];
const begun = process.cpuUsage();

/** The speed of a virtual machine changes, so each file measures it twice. */
const slownessNow = (): number => slowness({ tries: 2, turns: 1_000_000 });

const milliseconds = ({ system, user }: NodeJS.CpuUsage): number => Math.round((system + user) / 1_000);

if (path !== undefined) {
  // A loop that runs for the first time is slow.
  slownessNow();
  let slow = 1;
  let imported = begun;
  let imports = 0;
  beforeAll(() => {
    imports = milliseconds(process.cpuUsage(begun));
    slow = slownessNow();
    imported = process.cpuUsage();
  });
  afterAll(() => {
    const { testPath: file } = expect.getState();
    const spent = milliseconds(process.cpuUsage(imported));
    const slower = (slow + slownessNow()) / 2;
    const usual = { imports: Math.round(imports / slower), tests: Math.round(spent / slower) };
    appendFileSync(path, `${JSON.stringify({ file, ...usual, slower })}\n`);
  });
}
