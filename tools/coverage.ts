/**
 * `npx tsx tools/coverage.ts [--missing] [--rank essential] [--api management]` prints how much of the published
 * contract is served, by family of operations. The contract is in CONTRACT_DIR or ../shared/contract. If it is missing,
 * the program only says so.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const ROOT = fileURLToPath(new URL('../', import.meta.url));

export interface ContractOperation {
  readonly api: string;
  readonly method: string;
  readonly path: string;
  readonly operationId: string;
  readonly tag: string;
}

export interface FamilyCoverage {
  readonly rank: string;
  readonly family: string;
  readonly served: number;
  readonly all: number;
  readonly missing: readonly ContractOperation[];
}

/** Returns the method and path without the parts that differ between documents. */
const placeOf = (method: string, path: string): string => {
  const neutral = path.replace(/^\/\.well-known\/[a-z]+-organization$/, '/.well-known/{}-organization');
  return `${method.toUpperCase()} ${neutral.replaceAll(/\{[^}]*\}/g, '{}').replace(/(.)\/$/, '$1')}`;
};

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

const METHODS = new Set(['get', 'put', 'post', 'delete', 'patch', 'head', 'options']);

export function servedIn(folder: string): ReadonlySet<string> {
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  return new Set(
    names.flatMap((name) => {
      const { paths } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as OpenApi;
      return Object.entries(paths).flatMap(([path, item]) =>
        Object.keys(item).flatMap((method) => (METHODS.has(method) ? [placeOf(method, path)] : [])),
      );
    }),
  );
}

const RANKS = ['essential', 'expected', 'niche'];
const RANKED = /^\| ([a-z, ]+?) \| ([^|]+?) \| *\d+ \|/;

export function ranksIn(facts: string): ReadonlyMap<string, string> {
  return new Map(
    facts.split('\n').flatMap((line): [string, string][] => {
      const [, rank, family] = RANKED.exec(line) ?? [];
      return rank === undefined || family === undefined ? [] : [[family, rank]];
    }),
  );
}

export function coverageOf(
  contract: readonly ContractOperation[],
  served: ReadonlySet<string>,
  ranks: ReadonlyMap<string, string>,
): readonly FamilyCoverage[] {
  const families = new Map<string, ContractOperation[]>();
  for (const operation of contract) families.set(operation.tag, [...(families.get(operation.tag) ?? []), operation]);
  const place = (rank: string): number => (RANKS.includes(rank) ? RANKS.indexOf(rank) : RANKS.length);
  return [...families]
    .map(([family, operations]): FamilyCoverage => {
      const missing = operations.filter(({ method, path }) => !served.has(placeOf(method, path)));
      const rank = ranks.get(family) ?? '-';
      return { rank, family, served: operations.length - missing.length, all: operations.length, missing };
    })
    .toSorted((left, right) => place(left.rank) - place(right.rank) || left.family.localeCompare(right.family));
}

function print(coverage: readonly FamilyCoverage[], withMissing: boolean): void {
  for (const { all, family, missing, rank, served } of coverage) {
    console.log(`${rank.padEnd(10)} ${family.padEnd(36)} ${String(served).padStart(4)} / ${all}`);
    if (!withMissing) continue;
    for (const { method, operationId, path } of missing) console.log(`             ${operationId}  ${method} ${path}`);
  }
  const total = (of: readonly FamilyCoverage[], name: 'served' | 'all') => of.reduce((sum, one) => sum + one[name], 0);
  for (const rank of new Set(coverage.map((one) => one.rank))) {
    const of = coverage.filter((one) => one.rank === rank);
    console.log(`${rank}: ${total(of, 'served')} / ${total(of, 'all')} operations in ${of.length} families`);
  }
  console.log(`all: ${total(coverage, 'served')} / ${total(coverage, 'all')} operations`);
}

function main(): void {
  const { values } = parseArgs({
    options: { missing: { type: 'boolean', default: false }, rank: { type: 'string' }, api: { type: 'string' } },
  });
  const directory = process.env['CONTRACT_DIR'] ?? join(ROOT, '..', 'shared', 'contract');
  const operations = join(directory, 'operations.json');
  if (!existsSync(operations)) {
    console.log(`There is no ${operations}: nothing to compare with. CONTRACT_DIR names the folder.`);
    return;
  }
  const contract = JSON.parse(readFileSync(operations, 'utf8')) as ContractOperation[];
  const facts = join(directory, 'facts.md');
  const ranks = existsSync(facts) ? ranksIn(readFileSync(facts, 'utf8')) : new Map<string, string>();
  const asked = contract.filter(({ api }) => values.api === undefined || api === values.api);
  const coverage = coverageOf(asked, servedIn(join(ROOT, 'openapi')), ranks);
  print(
    coverage.filter(({ rank }) => values.rank === undefined || rank === values.rank),
    values.missing,
  );
}

if (process.argv[1] !== undefined && fileURLToPath(import.meta.url) === process.argv[1]) main();
