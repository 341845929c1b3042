// `npx tsx tools/isolation-timing.ts [--samples 60] [--only groups] [--all]` compares how long routes take to refuse
// ids of another org and ids that do not exist. It prints the routes that differ (`--all` prints every route). `--only
// groups` measures only routes whose path contains `groups`. The exit code is 1 if any route differs. The program needs
// a quiet machine.
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { allRoutes } from '../server/src/app/declared-routes.ts';
import type { AnyRoute } from '../server/src/platform/http/index.ts';
import { startEmbeddedPostgres } from '../server/src/platform/postgres/embedded/index.ts';
import { createPool, migrate, readerOver } from '../server/src/platform/postgres/index.ts';
import { isAnswerToStrangers, strangersIds, type Variant, variantsOf } from '../server/test/matrices/strangers-ids.ts';
import { startTestService, type TestOrg } from '../server/test/support/service.ts';
import { address, bodyOf } from '../server/test/sweeps/route-bodies.ts';
import { type Comparison, compareSamples } from './isolation/compare-samples.ts';

const { values } = parseArgs({
  options: {
    samples: { type: 'string', default: '60' },
    only: { type: 'string', default: '' },
    all: { type: 'boolean', default: false },
  },
});
const print = (line: string): void => void process.stdout.write(`${line}\n`);

async function openDatabase() {
  const directory = await mkdtemp(join(tmpdir(), 'gatehouse-timing-'));
  // If this process runs as root, PostgreSQL runs as another user, which must be able to enter the folder.
  await chmod(directory, 0o755);
  const postgres = await startEmbeddedPostgres({
    dataDirectory: join(directory, 'data'),
    outsideDirectory: join(directory, 'outside'),
    durability: 'off',
    maxConnections: 60,
    log: () => undefined,
  });
  const connection = { ...postgres.connection };
  await migrate(connection);
  const pool = createPool({
    connection,
    maximumConnections: 12,
    applicationName: 'isolation-timing',
    statementTimeoutMilliseconds: 30_000,
  });
  const db = readerOver(pool);
  const close = async (): Promise<void> => {
    await pool.end();
    await postgres.stop();
    await rm(directory, { recursive: true, force: true });
  };
  return { connection, pool, db, kysely: db, close };
}

/** Measures the response times for both ids in random order, so that load affects both equally. */
async function measure(org: TestOrg, route: AnyRoute, variant: Variant, samples: number): Promise<Comparison> {
  const took = { foreign: [] as number[], unknown: [] as number[] };
  const statuses = new Set<number>();
  const ask = async (kind: 'foreign' | 'unknown'): Promise<void> => {
    const started = performance.now();
    const { status, text } = await org.admin.send(route.method, address(route, variant[kind]), bodyOf(route, org));
    took[kind].push(performance.now() - started);
    statuses.add(status);
    if (statuses.size > 1 || !isAnswerToStrangers(route, status)) {
      throw new Error(`${variant.name}: ${kind} ids are answered ${status}: ${text.slice(0, 300)}`);
    }
  };
  for (let sample = 0; sample < samples; sample += 1) {
    const order = Math.random() < 0.5 ? (['foreign', 'unknown'] as const) : (['unknown', 'foreign'] as const);
    for (const kind of order) await ask(kind);
  }
  return compareSamples(took.foreign, took.unknown);
}

const shown = (milliseconds: number): string => milliseconds.toFixed(3).padStart(8);

function lineOf(name: string, { gap, isDifferent, one, other, score }: Comparison): string {
  const parts = [one, other].map(({ median, lower, upper }) => `${shown(median)} (${shown(lower)} ${shown(upper)})`);
  const verdict = `gap ${shown(gap)} z ${score.toFixed(1).padStart(5)}`;
  return `${isDifferent ? 'DIFFERS' : '       '} foreign ${parts[0]} unknown ${parts[1]} ${verdict}  ${name}`;
}

async function main(): Promise<number> {
  const database = await openDatabase();
  const service = await startTestService({ database });
  try {
    const ids = await strangersIds(service, service.org, await service.newOrg());
    const routes = allRoutes.filter(
      ({ access, url }) => access === 'authenticated' && url.includes('/:') && url.includes(values.only),
    );
    const compared: Comparison[] = [];
    print('milliseconds: median (10th 90th percentile)');
    for (const route of routes) {
      for (const variant of variantsOf(route, ids)) {
        await measure(service.org, route, variant, 5);
        const first = await measure(service.org, route, variant, Number(values.samples));
        // A difference may be due to chance, so the route is measured again with four times the samples.
        const last = first.isDifferent ? await measure(service.org, route, variant, 4 * Number(values.samples)) : first;
        compared.push(last);
        if (values.all || last.isDifferent) print(lineOf(variant.name, last));
      }
    }
    const differing = compared.filter(({ isDifferent }) => isDifferent).length;
    const gaps = compared.map(({ gap }) => Math.abs(gap)).toSorted((one, other) => one - other);
    const at = (share: number): string => (gaps[Math.floor((gaps.length - 1) * share)] ?? 0).toFixed(3);
    print(`variants ${compared.length}, gap of medians p50 ${at(0.5)} p90 ${at(0.9)} max ${at(1)} ms`);
    print(differing === 0 ? 'no route tells an id of another org from one that nobody has' : `${differing} differ`);
    return differing === 0 ? 0 : 1;
  } finally {
    await service.close();
    await database.close();
  }
}

process.exit(await main());
