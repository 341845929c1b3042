// `node tools/test.mjs --coverage` prints the line and branch coverage of each folder of the server.
//   --coverage --write    keeps the measured figures as floors for later runs
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { findChromium } from '../chromium.mjs';
import { ROOT } from '../setup.mjs';
import { count } from './report.mjs';
import { TIERS } from './tiers.mjs';
import { runTests } from './vitest.mjs';

const FLOORS = join(ROOT, 'tools', 'gate', 'coverage-floors.json');
const KINDS = ['lines', 'branches'];

const DIVIDED = ['management', 'oauth', 'platform', 'sign-in'];

/** Returns the folder of the report to which a source belongs, such as `oauth/token` or `search`. */
export function folderOf(source) {
  const [area, slice, file] = source.split('/');
  if (slice === undefined) return '.';
  return DIVIDED.includes(area) && file !== undefined ? `${area}/${slice}` : area;
}

/** Returns the coverage of each folder in percent. `files` maps paths to totals. */
export function coverageByFolder(files) {
  const sums = new Map();
  for (const [source, totals] of files) {
    const folder = folderOf(source);
    const sum = sums.get(folder) ?? Object.fromEntries(KINDS.map((kind) => [kind, { covered: 0, total: 0 }]));
    for (const kind of KINDS) {
      sum[kind].covered += totals[kind].covered;
      sum[kind].total += totals[kind].total;
    }
    sums.set(folder, sum);
  }
  const percentage = ({ covered, total }) => (total === 0 ? 100 : Math.floor((covered / total) * 1_000) / 10);
  return Object.fromEntries(
    [...sums]
      .sort(([one], [other]) => one.localeCompare(other))
      .map(([folder, sum]) => [folder, Object.fromEntries(KINDS.map((kind) => [kind, percentage(sum[kind])]))]),
  );
}

/** A folder may lose this many percentage points. */
const TOLERANCE = 1;

export const belowFloors = (measured, floors) =>
  Object.entries(floors).flatMap(([folder, floor]) =>
    KINDS.flatMap((kind) => {
      const percentage = measured[folder]?.[kind];
      if (percentage === undefined || percentage >= floor[kind] - TOLERANCE) return [];
      return [`${folder}: ${percentage} % of the ${kind} are covered, and ${floor[kind]} % were before`];
    }),
  );

const OPTIONS = [
  '--coverage.enabled',
  '--coverage.provider=v8',
  '--coverage.include=server/src/**/*.ts',
  '--coverage.exclude=**/*.test.ts',
  '--coverage.reporter=json-summary',
  '--coverage.reportOnFailure',
];

function measure() {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-coverage-'));
  try {
    const projects = [...TIERS.core.projects, ...TIERS.rest.projects];
    const options = [...OPTIONS, `--coverage.reportsDirectory=${folder}`];
    runTests('tests with coverage', projects, options, { CHROMIUM_PATH: findChromium() ?? '' });
    const path = join(folder, 'coverage-summary.json');
    if (!existsSync(path)) return undefined;
    const { total: _, ...files } = JSON.parse(readFileSync(path, 'utf8'));
    const sources = join(ROOT, 'server', 'src');
    return coverageByFolder(Object.entries(files).map(([file, totals]) => [relative(sources, file), totals]));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Measures the coverage and compares it with the floors. With `--write`, the measured coverage first replaces the
 * floors. The step fails if there is no report, or if the coverage of a folder is too far below its floor.
 */
export function runCoverage(mode) {
  const started = Date.now();
  const measured = measure();
  console.table(measured);
  if (measured !== undefined && mode === '--write') writeFileSync(FLOORS, `${JSON.stringify(measured, null, 2)}\n`);
  const below = belowFloors(measured ?? {}, JSON.parse(readFileSync(FLOORS, 'utf8')));
  for (const sentence of below) console.log(`!! ${sentence}`);
  const failed = below.length + (measured === undefined ? 1 : 0);
  count('coverage of folders', { passed: failed === 0 ? 1 : 0, failed }, started);
}
