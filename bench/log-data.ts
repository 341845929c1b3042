import type pg from 'pg';
import { type OrgId, toOrgId } from '../server/src/kernel/words/ids.ts';
import type { Namespace } from '../server/src/kernel/words/namespace.ts';
import { built, type Modules } from './built.ts';
import { copyIn, openCopyClient } from './copy.ts';
import type { Gatehouse } from './gatehouse.ts';
import { asLogEvents } from './ledger-table.ts';
import { OrgLife } from './log-events.ts';
import { withIndexesAfterwards } from './log-indexes.ts';
import { randomNumbers } from './log-people.ts';
import { addOrgs, orgIdOf } from './orgs-data.ts';

// This file generates a ledger like one from months of use. The product's own code makes the texts, tokens, digests and
// hash chain, and COPY loads them.

type SystemLog = Modules['system-log/index'];
type Digest = Modules['system-log/rendering/digest'];
type GeographyCode = Modules['platform/geography/index'];

export interface LogSizes {
  /** The number of events of the first org. It is approximate, because the org of each event is drawn at random. */
  readonly events: number;
  readonly people: number;
  readonly smallOrgs: number;
  readonly smallOrgEvents: number;
  readonly days: number;
}

export interface LogData {
  readonly orgId: OrgId;
  readonly events: number;
  readonly allEvents: number;
  readonly seconds: number;
  /** The seconds spent on indexes. Most of them overlap with the creation of events. */
  readonly indexSeconds: number;
}

type Row = ReturnType<ReturnType<SystemLog['createOutboxRowMaker']>>;

const COLUMNS =
  'org_id, position, persisted_at, uuid, published, event_type, severity, actor_id, target_ids, outcome_result, ' +
  'client_ip_address, transaction_id, tokens, salt, digest, hash, body';

const escaped = (text: string): string => (text.includes('\\') ? text.replaceAll('\\', '\\\\') : text);
const nullable = (text: string | null): string => (text === null ? '\\N' : escaped(text));
const bytes = (value: Buffer): string => `\\\\x${value.toString('hex')}`;

interface Place {
  readonly position: number;
  readonly persistedAt: Date;
  readonly hash: Buffer;
}

const lineOf = (row: Row, { hash, persistedAt, position }: Place): string =>
  `${row.orgId}\t${position}\t${persistedAt.toISOString()}\t${row.uuid}\t${row.published.toISOString()}\t` +
  `${row.eventType}\t${row.severity}\t${escaped(row.actorId)}\t{${row.targetIds.join(',')}}\t` +
  `${nullable(row.outcomeResult)}\t${nullable(row.clientIpAddress)}\t${escaped(row.transactionId)}\t` +
  `{${row.tokens.join(',')}}\t${bytes(row.salt)}\t${bytes(row.digest)}\t${bytes(hash)}\t` +
  `${escaped(row.body.toString('utf8'))}\n`;

const HOUR = 3_600_000;

/** Spreads the events over the hours: twice as many by day as by night, and a third as many on weekends. */
function hoursOf(from: number, to: number, events: number): readonly (readonly [start: number, events: number])[] {
  const starts: number[] = [];
  for (let start = from; start < to; start += HOUR) starts.push(start);
  const weights = starts.map((start) => {
    const date = new Date(start);
    const isWeekend = date.getUTCDay() % 6 === 0;
    return (date.getUTCHours() >= 7 && date.getUTCHours() < 19 ? 2 : 1) * (isWeekend ? 0.33 : 1);
  });
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  let given = 0;
  let passed = 0;
  return starts.map((start, index) => {
    passed += weights[index] ?? 0;
    const upTo = Math.round((events * passed) / whole);
    const hour = [start, upTo - given] as const;
    given = upTo;
    return hour;
  });
}

interface Ending {
  position: number;
  hash: Buffer;
  persistedAt: Date;
}

/** This class makes rows in chronological order, so the rows of the orgs are interleaved. */
class LogMaker {
  readonly #makeRow: ReturnType<SystemLog['createOutboxRowMaker']>;
  readonly #chainHash: Digest['chainHash'];
  readonly #lives: readonly OrgLife[];
  readonly #orgIds: readonly OrgId[];
  readonly #sizes: LogSizes;
  readonly #random = randomNumbers(7);
  readonly endings: Ending[];

  constructor(
    code: { systemLog: SystemLog; digest: Digest; geography: GeographyCode; namespace: Namespace },
    orgIds: readonly OrgId[],
    sizes: LogSizes,
  ) {
    this.#makeRow = code.systemLog.createOutboxRowMaker(
      code.systemLog.createInputMaker({ places: code.geography.createGeography() }),
    );
    this.#chainHash = code.digest.chainHash;
    this.#orgIds = orgIds;
    this.#sizes = sizes;
    const peopleOf = (index: number): number => (index === 0 ? sizes.people : 40);
    this.#lives = orgIds.map((orgId, index) => new OrgLife(orgId, peopleOf(index), code.namespace));
    this.endings = orgIds.map(() => ({ position: 0, hash: Buffer.alloc(32), persistedAt: new Date(0) }));
  }

  #orgIndex(): number {
    const { events, smallOrgEvents, smallOrgs } = this.#sizes;
    const drawn = this.#random() * (events + smallOrgEvents * smallOrgs);
    return drawn < events ? 0 : 1 + Math.floor((drawn - events) / smallOrgEvents);
  }

  #line(index: number, instant: number): string {
    const life = this.#lives[index];
    const ending = this.endings[index];
    const orgId = this.#orgIds[index];
    if (life === undefined || ending === undefined || orgId === undefined) throw new Error('no such org');
    // These times imitate real nodes and a real relay. `published` is up to 30 ms out of order, and the events of one
    // drain share one `persistedAt`. There is a drain every 25 ms.
    const published = new Date(instant - Math.floor(this.#random() * 30));
    const { context, event } = life.next(published);
    const row = this.#makeRow(context, event);
    ending.position += 1;
    ending.hash = this.#chainHash(orgId, ending.position, row.digest, ending.hash);
    ending.persistedAt = new Date(Math.ceil((instant + 5) / 25) * 25);
    return lineOf(row, ending);
  }

  *chunks(hours: readonly (readonly [start: number, events: number])[]): Generator<Buffer> {
    let lines: string[] = [];
    for (const [start, events] of hours) {
      const instants = Array.from({ length: events }, () => start + Math.floor(this.#random() * HOUR));
      instants.sort((left, right) => left - right);
      for (const instant of instants) {
        lines.push(this.#line(this.#orgIndex(), instant));
        if (lines.length < 200) continue;
        yield Buffer.from(lines.join(''));
        lines = [];
      }
    }
    yield Buffer.from(lines.join(''));
  }
}

/** The key of the advisory lock that the relay holds while it drains. It must equal the key in relay-store.ts. */
export const RELAY_LOCK = '7449355575226105204';
const LOADING = `set statement_timeout = 0; set synchronous_commit = off; set maintenance_work_mem = '4GB'`;
const EMPTY = [
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

/**
 * Deletes all events, adds small orgs, and fills their logs and the log of the first org with generated events. The
 * relay waits meanwhile. Each week is filled without indexes, and is indexed while the next week is filled.
 */
export async function fillLog(gatehouse: Gatehouse, sizes: LogSizes, progress = noProgress): Promise<LogData> {
  const systemLog = await built('system-log/index');
  const digest = await built('system-log/rendering/digest');
  const geography = await built('platform/geography/index');
  const { namespaceOf } = await built('kernel/words/namespace');
  const smallOrgIds = Array.from({ length: sizes.smallOrgs }, (_, index) => orgIdOf(index + 1));
  const orgIds = [gatehouse.orgId, ...smallOrgIds].map(toOrgId);
  const maker = new LogMaker({ systemLog, digest, geography, namespace: namespaceOf('svc') }, orgIds, sizes);
  const to = Math.floor(Date.now() / HOUR) * HOUR;
  const from = to - sizes.days * 24 * HOUR;
  const allEvents = sizes.events + sizes.smallOrgs * sizes.smallOrgEvents;
  const hours = hoursOf(from, to, allEvents);
  if (sizes.smallOrgs > 0) await addOrgs(gatehouse, sizes.smallOrgs);
  const client = await openCopyClient(gatehouse.connection);
  const indexer = await openCopyClient(gatehouse.connection);
  let indexSeconds = 0;
  const started = performance.now();
  try {
    for (const one of [client, indexer]) await one.query(LOADING);
    await client.query('select pg_advisory_lock($1)', [RELAY_LOCK]);
    indexSeconds = await asLogEvents(client, async () => {
      const { rows: tables } = await client.query<{ name: string }>(EXISTING, [EMPTY]);
      for (const { name } of tables) await client.query(`delete from ${name}`);
      await client.query('select log_ensure_partitions($1, $2)', [new Date(from), new Date(to)]);
      const took = await withIndexesAfterwards(indexer, async (index) => {
        for (const week of weeksOf(from, to)) {
          const within = hours.filter(([start]) => start >= week && start < week + 7 * 24 * HOUR);
          await copyIn(client, `copy log_events (${COLUMNS}) from stdin`, maker.chunks(within));
          await index(partitionOf(week));
          await progress(maker.endings[0]?.position ?? 0);
        }
      });
      await client.query('vacuum analyze log_events');
      return took;
    });
    await setHeads(client, orgIds, maker.endings);
    await client.query('checkpoint');
  } finally {
    await Promise.all([client.end(), indexer.end()]);
  }
  const seconds = (performance.now() - started) / 1_000;
  const events = maker.endings[0]?.position ?? 0;
  return {
    orgId: toOrgId(gatehouse.orgId),
    events,
    allEvents,
    seconds,
    indexSeconds,
  };
}

const noProgress = (_events: number): Promise<void> => Promise.resolve();
const partitionOf = (week: number): string =>
  `log_events_${new Date(week).toISOString().slice(0, 10).replaceAll('-', '')}`;
