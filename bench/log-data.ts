import type pg from 'pg';
import { type OrgId, toOrgId } from '../server/src/kernel/words/ids.ts';
import { built } from './built.ts';
import { copyIn, openCopyClient } from './copy.ts';
import type { Gatehouse } from './gatehouse.ts';
import { ensurePartitions, filledTable } from './ledger-table.ts';
import { withIndexesAfterwards, withKeyOnly } from './log-indexes.ts';
import { COLUMNS, type Ending, HOUR, hoursOf, LogMaker, type LogSizes } from './log-maker.ts';
import type { LogProbes } from './log-probes.ts';
import { leaveFreshEnd, sealLog, withoutSealing } from './log-seal.ts';
import { addOrgs, orgIdOf } from './orgs-data.ts';

// This module fills a ledger by COPY, and seals it if the build can.

export interface LogData {
  readonly orgId: OrgId;
  readonly events: number;
  readonly allEvents: number;
  readonly probes: LogProbes;
  readonly seconds: number;
  /** The seconds spent on indexes or on sealing. Most of them overlap with the creation of events. */
  readonly afterSeconds: number;
  /** The number of events that were sealed. It is 0 if the build writes no segments. */
  readonly sealedEvents: number;
}

interface FillOptions {
  /** Whether the limits need an unpacked copy of the first org's events. */
  readonly isCopied?: boolean;
  readonly progress?: (events: number) => Promise<void>;
}

/** The key of the advisory lock that the relay holds while it drains. It must equal the key in relay-store.ts. */
export const RELAY_LOCK = '7449355575226105204';
const LOADING = `set statement_timeout = 0; set synchronous_commit = off; set maintenance_work_mem = '4GB'`;
const EMPTY = [
  'log_older',
  'log_events',
  'log_fresh',
  'log_segments',
  'log_inputs',
  'log_outbox',
  'log_heads',
  'log_checkpoints',
  'log_anchors',
];
/** Some of the tables do not exist in the older builds with which runs are compared. */
const EXISTING = 'select name from unnest($1::text[]) name where to_regclass(name) is not null';
const SET_HEADS = `insert into log_heads (org_id, position, hash, persisted_at)
  select * from unnest($1::text[], $2::bigint[], $3::bytea[], $4::timestamptz[])
  on conflict (org_id) do update
    set position = excluded.position, hash = excluded.hash, persisted_at = excluded.persisted_at`;

async function setHeads(client: pg.Client, orgIds: readonly OrgId[], endings: readonly Ending[]): Promise<void> {
  await client.query(SET_HEADS, [
    orgIds,
    endings.map(({ position }) => position),
    endings.map(({ hash }) => hash),
    endings.map(({ persistedAt }) => persistedAt.toISOString()),
  ]);
}

/** Like `log_ensure_partitions`, this function begins weeks on Monday, UTC. */
function weeksOf(from: number, to: number): number[] {
  const monday = 4 * 24 * HOUR;
  const week = 7 * 24 * HOUR;
  const starts: number[] = [];
  for (let start = Math.floor((from - monday) / week) * week + monday; start < to; start += week) starts.push(start);
  return starts;
}

/** The limits read this table: the bodies of the first org's events, unpacked. */
export const UNPACKED_TABLE = 'bench_events';
const EMPTY_UNPACKED = `drop table if exists ${UNPACKED_TABLE};
  create table ${UNPACKED_TABLE} (org_id text, position bigint, persisted_at timestamptz, body text)`;
const INDEX_UNPACKED = `alter table ${UNPACKED_TABLE} add primary key (org_id, position)`;

interface Filling {
  readonly gatehouse: Gatehouse;
  readonly maker: LogMaker;
  readonly orgIds: readonly OrgId[];
  readonly client: pg.Client;
  /** This connection indexes a week while the next one is filled. */
  readonly indexer: pg.Client;
  readonly table: string;
  readonly from: number;
  readonly to: number;
  readonly options: FillOptions;
}

/** Fills one week after the other. After each one, `follow` begins what must be done with it. */
async function fillWeeks(filling: Filling, follow: (week: number) => Promise<void>): Promise<void> {
  const { client, from, gatehouse, maker, options, table, to } = filling;
  const hours = hoursOf(from, to, maker.allEvents);
  for (const week of weeksOf(from, to)) {
    const within = hours.filter(([start]) => start >= week && start < week + 7 * 24 * HOUR);
    const before = maker.endings[0]?.position ?? 0;
    await copyIn(client, `copy ${table} (${COLUMNS}) from stdin`, maker.chunks(within));
    if (options.isCopied === true) {
      await client.query(
        `insert into ${UNPACKED_TABLE} select org_id, position, persisted_at, body from ${table}
         where org_id = $1 and position > $2 and persisted_at >= $3`,
        [gatehouse.orgId, before, new Date(week)],
      );
    }
    await follow(week);
    await options.progress?.(maker.endings[0]?.position ?? 0);
  }
}

/** Seals each week while the next one is filled. Only events up to the head are sealed. */
async function fillAndSeal(filling: Filling): Promise<Pick<LogData, 'afterSeconds' | 'sealedEvents'>> {
  const { client, gatehouse, indexer, maker, orgIds, table } = filling;
  let [milliseconds, sealedEvents] = [0, 0];
  const seal = async (): Promise<void> => {
    const sealed = await sealLog(gatehouse);
    sealedEvents += sealed.events;
    milliseconds += sealed.milliseconds;
  };
  await withKeyOnly(indexer, table, async () => {
    let before: Promise<void> = Promise.resolve();
    await fillWeeks(filling, async () => {
      await before;
      await setHeads(client, orgIds, maker.endings);
      before = seal();
      // The next `await before` throws the error; this line only marks it as handled.
      before.catch(() => undefined);
    });
    await before;
    await leaveFreshEnd(client, orgIds);
  });
  return { afterSeconds: milliseconds / 1_000, sealedEvents };
}

async function fillAndIndex(filling: Filling): Promise<Pick<LogData, 'afterSeconds' | 'sealedEvents'>> {
  const { client, indexer, maker, orgIds, table } = filling;
  const afterSeconds = await withIndexesAfterwards(indexer, table, (index) =>
    fillWeeks(filling, (week) => index(partitionOf(week))),
  );
  await client.query(`vacuum analyze ${table}`);
  await setHeads(client, orgIds, maker.endings);
  return { afterSeconds, sealedEvents: 0 };
}

async function fill(filling: Filling): Promise<Pick<LogData, 'afterSeconds' | 'sealedEvents'>> {
  const { client, from, gatehouse, indexer, options, table, to } = filling;
  for (const one of [client, indexer]) await one.query(LOADING);
  await client.query('select pg_advisory_lock($1)', [RELAY_LOCK]);
  const { rows: tables } = await client.query<{ name: string }>(EXISTING, [EMPTY]);
  for (const { name } of tables) await client.query(`delete from ${name}`);
  await ensurePartitions(client, new Date(from), new Date(to));
  await client.query(EMPTY_UNPACKED);
  const filled = await (table === 'log_older'
    ? withoutSealing(gatehouse, () => fillAndSeal(filling))
    : fillAndIndex(filling));
  if (options.isCopied === true) await client.query(INDEX_UNPACKED);
  await client.query(`vacuum analyze ${UNPACKED_TABLE}`);
  await client.query('checkpoint');
  return filled;
}

/**
 * Deletes all events, adds small orgs, and fills their logs and the log of the first org with generated events. The
 * relay waits meanwhile. If the build writes segments, all that is due is sealed, and the rest is in the fresh end.
 */
export async function fillLog(gatehouse: Gatehouse, sizes: LogSizes, options: FillOptions = {}): Promise<LogData> {
  const systemLog = await built('system-log/index');
  const digest = await built('system-log/rendering/digest');
  const geography = await built('platform/geography/index');
  const { namespaceOf } = await built('kernel/words/namespace');
  const smallOrgIds = Array.from({ length: sizes.smallOrgs }, (_, index) => orgIdOf(index + 1));
  const orgIds = [gatehouse.orgId, ...smallOrgIds].map(toOrgId);
  const maker = new LogMaker({ systemLog, digest, geography, namespace: namespaceOf('svc') }, orgIds, sizes);
  const to = Math.floor(Date.now() / HOUR) * HOUR;
  const from = to - sizes.days * 24 * HOUR;
  if (sizes.smallOrgs > 0) await addOrgs(gatehouse, sizes.smallOrgs);
  const client = await openCopyClient(gatehouse.connection);
  const indexer = await openCopyClient(gatehouse.connection);
  const started = performance.now();
  try {
    const table = await filledTable(client);
    const filled = await fill({ gatehouse, maker, orgIds, client, indexer, table, from, to, options });
    return {
      ...filled,
      orgId: toOrgId(gatehouse.orgId),
      events: maker.endings[0]?.position ?? 0,
      allEvents: maker.allEvents,
      probes: maker.probes,
      seconds: (performance.now() - started) / 1_000,
    };
  } finally {
    await Promise.all([client.end(), indexer.end()]);
  }
}

const partitionOf = (week: number): string =>
  `log_events_${new Date(week).toISOString().slice(0, 10).replaceAll('-', '')}`;
