import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Comparison, ratioOfComparison } from './compare.ts';
import { sumOf } from './cpu.ts';
import { growthTable } from './log-growth.ts';
import { isMet, middle, type Result, type RowReport, ratioOf, type Side } from './result.ts';

const OUT = fileURLToPath(new URL('out/', import.meta.url));
const README = fileURLToPath(new URL('README.md', import.meta.url));
const START = '<!-- figures: written by `npm run bench -- --write` -->';
const END = '<!-- end of figures -->';
const GROWTH_START = '<!-- growth: written by `npm run bench -- log-growth --write` -->';
const GROWTH_END = '<!-- end of growth -->';

const round = (value: number): string => {
  if (value >= 100) return Math.round(value).toLocaleString('en-US');
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
};

const UNITS: Readonly<Record<Side['unit'], string>> = { 'per second': '/s', us: ' us', ms: ' ms', s: ' s', MB: ' MB' };

function sideText(side: Side | null): string {
  if (side === null) return '';
  const unit = UNITS[side.unit];
  const [low, high] = [Math.min(...side.values), Math.max(...side.values)];
  const spread = side.values.length > 1 ? ` (${round(low)}-${round(high)})` : '';
  return `${round(middle(side.values))}${unit}${spread}`;
}

/** Formats the CPU time per request in microseconds. */
function cpuText({ cpu }: Side): string {
  if (cpu === undefined) return '';
  const parts = [
    `Node ${round(cpu.node)}`,
    ...(cpu.postgres > 0 ? [`PostgreSQL ${round(cpu.postgres)}`] : []),
    ...(cpu.relay > 0 ? [`relay ${round(cpu.relay)}`] : []),
  ];
  return parts.length === 1 ? `${round(sumOf(cpu))} us` : `${round(sumOf(cpu))} us (${parts.join(', ')})`;
}

function targetText({ beside, gatehouse, target }: Result): string {
  if (target === null) return '';
  const unit = beside === null || target.isOfValue === true ? UNITS[gatehouse.unit] : '';
  const sign = target.atLeast ? '>=' : '<=';
  const or = target.orRatio === undefined ? '' : ` or ${sign} ${target.orRatio.toFixed(1)} x`;
  return `${sign} ${target.bound}${unit}${or}`;
}

const VERDICTS = { true: 'met', false: '**missed**', null: '' } as const;

function lineOf(result: Result): string[] {
  const ratio = ratioOf(result);
  const beside = result.beside === null ? '' : `${result.beside.name}: ${sideText(result.beside)}`;
  const work = result.note === undefined ? result.work : `${result.work} (${result.note})`;
  const verdict = VERDICTS[String(isMet(result)) as keyof typeof VERDICTS];
  const ratioText = ratio === null ? '' : ratio.toFixed(2);
  const cpu = cpuText(result.gatehouse);
  return [work, sideText(result.gatehouse), cpu, beside, ratioText, targetText(result), verdict];
}

export function print(report: RowReport): void {
  const { load, row, settings, size } = report;
  console.log(`\n${row} (${size}; ${settings}; load ${load.before.toFixed(2)} -> ${load.after.toFixed(2)})`);
  for (const result of report.results) {
    const [work, gatehouse, cpu, beside, ratio, target, verdict] = lineOf(result);
    const against = beside === '' ? '' : `  beside ${beside}  ratio ${ratio}`;
    console.log(`  ${work}: ${gatehouse}  ${cpu}${against}  ${target} ${verdict}`);
  }
}

export function printComparisons(row: string, comparisons: readonly Comparison[]): void {
  console.log(`\n${row}: the other revision, then this one`);
  for (const comparison of comparisons) {
    const { after, before, verdict, work } = comparison;
    const texts = [before, after].map((side) => `${sideText(side)}  ${cpuText(side)}`);
    console.log(`  ${work}: ${texts.join('  ->  ')}  ratio ${ratioOfComparison(comparison).toFixed(2)}, ${verdict}`);
  }
}

export function keep(report: RowReport): void {
  mkdirSync(OUT, { recursive: true });
  const name = `${report.row}.${report.size}.node-${report.node}.json`;
  writeFileSync(join(OUT, name), `${JSON.stringify(report, null, 2)}\n`);
}

/** Returns the newest full figures of a row, for each release of Node with which it was measured. */
const kept = (row: string): RowReport[] =>
  readdirSync(OUT)
    .filter((name) => name.startsWith(`${row}.full.node-`))
    .sort()
    .map((name) => JSON.parse(readFileSync(join(OUT, name), 'utf8')) as RowReport);

/** Writes the newest full figures of these rows, and those of log-growth, between the markers in README.md. */
export function writeReadme(rows: readonly string[], postgresVersion: string): void {
  const reports = rows.flatMap(kept);
  const header = [
    '| Work | Node | Gatehouse | CPU of a request | Beside it | Ratio | Target | |',
    '|---|---|---|---|---|---|---|---|',
  ];
  const lines = reports.flatMap(({ node, results }) =>
    results.map((result) => {
      const [work, ...figures] = lineOf(result);
      return `| ${[work, node, ...figures].join(' | ')} |`;
    }),
  );
  const cpu = cpus()[0]?.model.trim() ?? 'unknown';
  const machine = `${cpus().length} cores (${cpu}), PostgreSQL ${postgresVersion}`;
  const taken = reports.map(
    ({ load, node, row, settings, takenAt }) =>
      `- \`${row}\`, Node ${node}: ${takenAt.slice(0, 16).replace('T', ' ')} UTC; ${settings}; load of the machine ` +
      `${load.before.toFixed(2)} before, ${load.after.toFixed(2)} after`,
  );
  const text = [START, '', `${machine}.`, '', ...header, ...lines, '', ...taken, '', END].join('\n');
  replaceBetween(START, END, text);
  const growth = growthTable();
  if (growth !== null) replaceBetween(GROWTH_START, GROWTH_END, [GROWTH_START, '', growth, '', GROWTH_END].join('\n'));
}

function replaceBetween(first: string, last: string, text: string): void {
  const readme = readFileSync(README, 'utf8');
  const [start, end] = [readme.indexOf(first), readme.indexOf(last)];
  if (start < 0 || end < 0) throw new Error(`the markers of the figures are missing in bench/README.md: ${first}`);
  writeFileSync(README, readme.slice(0, start) + text + readme.slice(end + last.length));
}
