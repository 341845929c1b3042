import { mkdirSync, readFileSync, statfsSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { built } from './built.ts';
import { openConnection, requestBytes } from './connection.ts';
import { authorizationOf, type Gatehouse, newPlace, type Place, ROOT, startGatehouse } from './gatehouse.ts';
import { assertGood } from './load.ts';
import { fillLog, type LogData } from './log-data.ts';
import { drainPerSecond } from './log-drain.ts';
import { medianLatency, questionsOf, requestOf } from './log-questions.ts';
import type { Sizes } from './sizes.ts';

// This file measures how the costs of the log grow with its size: disk space, inserts, pages, export and verification.
// log-growth is not a row of the benchmark, because the largest size takes too long.

/** The figures of one size, in seconds, milliseconds, bytes per event and events per second. */
export interface Growth {
  readonly takenAt: string;
  readonly events: number;
  /** The bytes of each table with its indexes, an event. */
  readonly tableBytes: Readonly<Record<string, number>>;
  readonly fillSeconds: number;
  /** The events sealed in a second while others were made. This is null if the build writes no segments. */
  readonly sealedPerSecond: number | null;
  readonly drainPerSecond: number;
  readonly exportPerSecond: number;
  /**
   * This is null if the log was too large to verify. Verification reads every event once, so its cost per event is the
   * same at any size.
   */
  readonly verifySeconds: number | null;
  readonly pages: Readonly<Record<string, number>>;
}

const FREE_BYTES = 4 * 2 ** 30;
const DAY = 86_400_000;
const EXPORTED_PAGES = 200;
const MOST_VERIFIED_EVENTS = 5_000_000;
const FILE = fileURLToPath(new URL('out/log-growth.json', import.meta.url));

/** The queries whose pages are shown, by their names in log-questions.ts. */
const SHOWN = new Set([
  'no filter',
  'eventType, 1 event in 4',
  'eventType, 1 in 10,000',
  'actor.id, 1 in 20',
  'actor.id, some 60 events',
  'target.id, 1 in 15',
  'target.id, 1 in 100',
  'target.id, some 60 events',
  'keyword, 1 in 3',
  'keyword, 1 in 20',
  'keyword, one event',
  'two keywords, both common',
  'eventType and outcome.result',
]);

/** A build has the older table under one of two names, and may have neither of the others. */
const TABLES = ['log_segments', 'log_fresh', 'log_older', 'log_events'];
const SIZES = `select name, coalesce(
    (select sum(pg_total_relation_size(part.relid)) from pg_partition_tree(to_regclass(name)) part),
    pg_total_relation_size(to_regclass(name)))::float8 as bytes
  from unnest($1::text[]) name where to_regclass(name) is not null`;

async function bytesOf({ pool }: Gatehouse, events: number): Promise<Readonly<Record<string, number>>> {
  const { rows } = await pool.query<{ name: string; bytes: number }>(SIZES, [TABLES]);
  return Object.fromEntries(rows.map(({ bytes, name }) => [name, bytes / events]));
}

async function pagesOf(gatehouse: Gatehouse, data: LogData, pages: number): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  const questions = questionsOf(data.probes);
  for (const question of questions.filter(({ name }) => SHOWN.has(name))) {
    const ask = (asked: number): Buffer => requestOf(gatehouse, question, asked);
    found[question.name] = await medianLatency(gatehouse.endpoint, ask, pages);
  }
  return found;
}

/** Asks every question before the first one is measured, because the first pages of a process measure the compiler. */
async function warmPagesOf(gatehouse: Gatehouse, data: LogData, pages: number): Promise<Record<string, number>> {
  await pagesOf(gatehouse, data, pages);
  return await pagesOf(gatehouse, data, pages);
}

/** Measures the events exported per second. Follows `next` links for some pages, starting in the middle of the log. */
async function exportPerSecond({ endpoint, token }: Gatehouse): Promise<number> {
  const connection = await openConnection(endpoint, 0);
  let path = `/api/v1/logs?limit=1000&since=${encodeURIComponent(new Date(Date.now() - 45 * DAY).toISOString())}`;
  let pages = 0;
  const started = performance.now();
  while (pages < EXPORTED_PAGES) {
    const answer = await connection.send(requestBytes(endpoint, 'GET', path, authorizationOf(token)));
    assertGood(answer);
    const next = /<([^>]+)>; *rel="next"/i.exec(answer.head)?.[1];
    if (next === undefined || answer.body.length < 1_000_000) break;
    path = next.slice(next.indexOf('/api/'));
    pages += 1;
  }
  connection.close();
  return (pages * 1_000_000) / (performance.now() - started);
}

async function verifySeconds({ pool }: Gatehouse, data: LogData): Promise<number | null> {
  if (data.events > MOST_VERIFIED_EVENTS) return null;
  const { connectionsOver, verifyOrg } = await built('system-log/index');
  const started = performance.now();
  const report = await verifyOrg(connectionsOver(pool), data.orgId, { checkpoints: [] });
  if (!report.ok) throw new Error(`the made-up log does not verify: ${JSON.stringify(report.fault)}`);
  return (performance.now() - started) / 1_000;
}

const QUIET_MILLISECONDS = 15_000;

/** Waits until PostgreSQL has cleaned up after the filling: it looks for work every 10 s. */
async function settled({ pool }: Gatehouse): Promise<void> {
  const text = `select exists (select from pg_stat_activity where backend_type = 'autovacuum worker') as busy`;
  for (let quietSince = performance.now(); performance.now() - quietSince < QUIET_MILLISECONDS; ) {
    const { rows } = await pool.query<{ busy: boolean }>(text);
    if (rows[0]?.busy !== false) quietSince = performance.now();
    await delay(500);
  }
}

function watchDisk({ directory }: Place, events: number): Promise<void> {
  const { bavail, bsize } = statfsSync(directory);
  if (bavail * bsize < FREE_BYTES) throw new Error(`the disk is nearly full after ${events} events`);
  return Promise.resolve();
}

async function measureSize(events: number, sizes: Sizes): Promise<Growth> {
  const place = await newPlace();
  try {
    const gatehouse = await startGatehouse({ place, build: ROOT, node: process.execPath });
    try {
      const { logPages, logPeople, logSmallOrgEvents, logSmallOrgs } = sizes;
      const people = Math.min(logPeople, Math.max(40, events / 100));
      const made = { events, people, smallOrgs: logSmallOrgs, smallOrgEvents: logSmallOrgEvents, days: 89 };
      const data = await fillLog(gatehouse, made, { progress: (done) => watchDisk(place, done) });
      await settled(gatehouse);
      return {
        takenAt: new Date().toISOString(),
        events,
        tableBytes: await bytesOf(gatehouse, data.allEvents),
        fillSeconds: data.seconds,
        sealedPerSecond: data.sealedEvents === 0 ? null : data.sealedEvents / data.afterSeconds,
        pages: await warmPagesOf(gatehouse, data, Math.ceil(logPages / 2)),
        exportPerSecond: await exportPerSecond(gatehouse),
        verifySeconds: await verifySeconds(gatehouse, data),
        drainPerSecond: await drainPerSecond(gatehouse, data.orgId, sizes.growthDrained),
      };
    } finally {
      await gatehouse.stop();
    }
  } finally {
    await place.remove();
  }
}

/** Reads the stored figures. They may come from several runs, because sizes can be measured one at a time. */
function kept(): readonly Growth[] {
  try {
    return JSON.parse(readFileSync(FILE, 'utf8')) as readonly Growth[];
  } catch {
    return [];
  }
}

function keep(growth: Growth): void {
  const others = kept().filter(({ events }) => events !== growth.events);
  const measured = [...others, growth].toSorted((one, other) => one.events - other.events);
  mkdirSync(fileURLToPath(new URL('out/', import.meta.url)), { recursive: true });
  writeFileSync(FILE, `${JSON.stringify(measured, null, 2)}\n`);
}

/** Measures one size after the other. A full run stores the figures of each size before the next size starts. */
export async function measureGrowth(sizes: Sizes, wanted: readonly number[]): Promise<void> {
  for (const events of wanted.length === 0 ? sizes.growth : wanted) {
    console.log(`\n... log-growth, ${events.toLocaleString('en-US')} events`);
    const growth = await measureSize(events, sizes);
    console.log(JSON.stringify(growth, null, 2));
    if (sizes.name === 'full') keep(growth);
  }
}

const whole = (value: number): string => Math.round(value).toLocaleString('en-US');
const short = (value: number): string => (value >= 10 ? whole(value) : value.toFixed(1));

/** Returns the table for README.md, with a line for each cost and a column for each size. */
export function growthTable(): string | null {
  const measured = kept();
  if (measured.length === 0) return null;
  const line = (name: string, of: (growth: Growth) => string): string =>
    `| ${[name, ...measured.map((growth) => of(growth))].join(' | ')} |`;
  const [first] = measured;
  const tables = Object.keys(measured.at(-1)?.tableBytes ?? {});
  const sumOf = ({ tableBytes }: Growth): number => Object.values(tableBytes).reduce((sum, bytes) => sum + bytes, 0);
  return [
    line('Events of the org', ({ events }) => whole(events)),
    `|---|${measured.map(() => '---|').join('')}`,
    line('On disk, GB', (growth) => short((sumOf(growth) * growth.events) / 1e9)),
    line('Bytes an event', (growth) => whole(sumOf(growth))),
    ...tables.map((name) => line(`- \`${name}\``, ({ tableBytes }) => whole(tableBytes[name] ?? 0))),
    line('Relay, events/s', (growth) => whole(growth.drainPerSecond)),
    line('Sealing while events are made, events/s', ({ sealedPerSecond: perSecond }) =>
      perSecond === null ? '' : whole(perSecond),
    ),
    line('Export by polling, events/s', (growth) => whole(growth.exportPerSecond)),
    line('`log verify`, s per million', ({ events, verifySeconds: seconds }) =>
      seconds === null ? '' : short((seconds * 1e6) / events),
    ),
    ...Object.keys(first?.pages ?? {}).map((name) =>
      line(`Page: ${name}, ms`, ({ pages }) => short(pages[name] ?? Number.NaN)),
    ),
  ].join('\n');
}
