import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { ROOT } from '../setup.mjs';
import { overBudget } from './budgets.mjs';

const DEAREST = 20;

const totals = { passed: 0, failed: 0 };
const failures = [];
const remarks = [];
/** The CPU costs of each run of each test file, in milliseconds on the usual machine. */
const costs = new Map();

export function count(name, { failed, passed }, started) {
  totals.passed += passed;
  totals.failed += failed;
  if (failed > 0) failures.push(name);
  console.log(`== ${name}: ${failed === 0 ? 'ok' : 'FAILED'} (${((Date.now() - started) / 1000).toFixed(1)} s)`);
}

/** Returns how many tests and other checks have passed and failed. */
export const countedSoFar = () => ({ ...totals });

export const remark = (line) => remarks.push(line);

/** Adds the costs in a file that contains a line of JSON for each run of a test file. The file may be missing. */
export function addCosts(path) {
  if (!existsSync(path)) return;
  for (const line of readFileSync(path, 'utf8').split('\n').filter(Boolean)) {
    const { file, ...cost } = JSON.parse(line);
    const name = relative(ROOT, file);
    costs.set(name, [...(costs.get(name) ?? []), cost]);
  }
}

/** Counts each file over its CPU budget as a failure. If a file ran several times, its cheapest run counts. */
export function checkBudgets() {
  const started = Date.now();
  const cheapest = [...costs].map(([name, runs]) => [name, Math.min(...runs.map(({ tests }) => tests)) / 1_000]);
  const dear = overBudget(new Map(cheapest));
  for (const sentence of dear) remark(`OVER BUDGET: ${sentence}`);
  if (costs.size > 0) count('budgets of files', { passed: dear.length === 0 ? 1 : 0, failed: dear.length }, started);
}

const seconds = (milliseconds) => (milliseconds / 1_000).toFixed(1);

function dearest() {
  if (costs.size < DEAREST) return;
  const sumOf = (runs) => runs.reduce((total, { imports, tests }) => total + imports + tests, 0);
  const all = [...costs].map(([file, runs]) => [file, sumOf(runs)]).sort(([, one], [, other]) => other - one);
  const sum = all.reduce((total, [, milliseconds]) => total + milliseconds, 0);
  const factors = [...costs.values()].flat().map(({ slower }) => slower);
  const factor = factors.reduce((total, slower) => total + slower, 0) / factors.length;
  console.log(`\n== ${costs.size} files took ${seconds(sum)} s of CPU (PostgreSQL not counted); the dearest:`);
  for (const [file, milliseconds] of all.slice(0, DEAREST)) {
    console.log(`${seconds(milliseconds).padStart(7)} s  ${file}`);
  }
  // The time of a run means little without the speed of the machine.
  console.log(`== this machine took ${factor.toFixed(1)} times the CPU of the usual one, to which these figures refer`);
}

/** Prints the end of the report and returns the exit code. */
export function end() {
  dearest();
  for (const line of remarks) console.log(`!! ${line}`);
  if (failures.length > 0) console.log(`\nFailed: ${failures.join(', ')}`);
  console.log(`\n${totals.passed} passed, ${totals.failed} failed`);
  return totals.failed === 0 ? 0 : 1;
}
