import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type RawBuilder,
  sql,
} from 'kysely';
import type { OrgId } from '../kernel/ids.ts';
import type { Connections, LogConnection, LogResult } from './connections.ts';
import { conditions } from './query-conditions-store.ts';
import type { LogQuery } from './query-parameters.ts';

/** Queries end here (specification 4.4). */
export const QUERY_TIMEOUT_MILLISECONDS = 30_000;

export interface LogSource {
  connections: Connections;
  timeoutMilliseconds?: number;
}

export interface LogRow {
  readonly position: number;
  readonly published: Date;
  readonly persistedAt: Date;
  /** The event as stored: JSON text, never parsed. */
  readonly body: string;
}

export interface LogHead {
  readonly position: number;
  readonly persistedAt: Date;
}

/** Only turns builders into text; statements run on the connection that also holds the time-out. */
const compiler = new Kysely<Record<string, never>>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

export interface PollingPlace {
  /** Events up to here were examined. */
  readonly position: number;
  /** Nothing behind it was persisted earlier: this bound leaves whole partitions out. */
  readonly persistedAt: Date;
  /**
   * Where a poll begins, it answers nothing published before its `since`: a reader that restarts from the last
   * `published` it saw moves on, even when a whole batch was persisted at one instant. Behind a cursor there is no such
   * bound, or events of a node whose clock is behind would be lost.
   */
  readonly publishedFrom: Date | null;
}

const pollingPage = (orgId: OrgId, query: LogQuery, place: PollingPlace): RawBuilder<unknown> => {
  const where = [
    sql<boolean>`org_id = ${orgId}`,
    sql<boolean>`position > ${place.position}::bigint`,
    sql<boolean>`persisted_at >= ${place.persistedAt.toISOString()}::timestamptz`,
    sql<boolean>`published >= ${query.windowStart.toISOString()}::timestamptz`,
    ...(place.publishedFrom === null
      ? []
      : [sql<boolean>`published >= ${place.publishedFrom.toISOString()}::timestamptz`]),
    ...conditions(orgId, query),
  ];
  return sql`select position, published, persisted_at, body from log_events
    where ${sql.join(where, sql` and `)} order by position limit ${query.limit}::integer`;
};

export interface BoundedPlace {
  readonly since: Date;
  /** Last event of the page before; null on the first page. */
  readonly last: { readonly published: Date; readonly position: number } | null;
}

const boundedPage = (orgId: OrgId, query: LogQuery, place: BoundedPlace, count: number): RawBuilder<unknown> => {
  const from = (place.since > query.windowStart ? place.since : query.windowStart).toISOString();
  const where = [
    sql<boolean>`org_id = ${orgId}`,
    sql<boolean>`published >= ${from}::timestamptz`,
    // Never later than published's bound, and what partitions are chosen by.
    sql<boolean>`persisted_at >= ${from}::timestamptz`,
    ...conditions(orgId, query),
  ];
  if (query.until !== null) where.push(sql<boolean>`published < ${query.until.toISOString()}::timestamptz`);
  const descending = query.order === 'descending';
  if (place.last !== null) {
    const last = sql`(${place.last.published.toISOString()}::timestamptz, ${place.last.position}::bigint)`;
    where.push(
      descending ? sql<boolean>`(published, position) < ${last}` : sql<boolean>`(published, position) > ${last}`,
    );
  }
  const order = descending ? sql`published desc, position desc` : sql`published, position`;
  return sql`select position, published, persisted_at, body from log_events
    where ${sql.join(where, sql` and `)} order by ${order} limit ${count}::integer`;
};

interface StoredRow {
  position: string | number;
  published: Date;
  persisted_at: Date;
  body: string;
}

const rowsFrom = (result: LogResult | undefined): LogRow[] =>
  ((result?.rows ?? []) as readonly StoredRow[]).map((row) => ({
    position: Number(row.position),
    published: row.published,
    persistedAt: row.persisted_at,
    body: row.body,
  }));

/** Sends all statements at once, inside a transaction that carries the time-out; throws the first failure. */
async function read(
  connection: LogConnection,
  source: LogSource,
  builders: readonly RawBuilder<unknown>[],
): Promise<LogResult[]> {
  const statements = builders.map((builder) => builder.compile(compiler));
  const sent = [
    connection.query('begin read only'),
    connection.query(`set local statement_timeout = ${source.timeoutMilliseconds ?? QUERY_TIMEOUT_MILLISECONDS}`),
    ...statements.map((statement) => connection.query(statement.sql, statement.parameters)),
    connection.query('commit'),
  ];
  const settled = await Promise.allSettled(sent);
  const results: LogResult[] = [];
  for (const one of settled) {
    if (one.status === 'rejected') throw one.reason;
    results.push(one.value);
  }
  return results.slice(2, -1);
}

/** The head is read before the page: whatever the head counts, the page's statement sees. */
export async function readPollingPage(
  source: LogSource,
  orgId: OrgId,
  query: LogQuery,
  place: PollingPlace,
): Promise<{ head: LogHead | null; rows: LogRow[] }> {
  const head = sql`select position, persisted_at from log_heads where org_id = ${orgId}`;
  const [heads, page] = await source.connections.withConnection((connection) =>
    read(connection, source, [head, pollingPage(orgId, query, place)]),
  );
  const [row] = (heads?.rows ?? []) as readonly Pick<StoredRow, 'position' | 'persisted_at'>[];
  return {
    head: row === undefined ? null : { position: Number(row.position), persistedAt: row.persisted_at },
    rows: rowsFrom(page),
  };
}

/** Up to `count` events by `published`, then position. */
export async function readBoundedPage(
  source: LogSource,
  orgId: OrgId,
  query: LogQuery,
  place: BoundedPlace,
  count: number,
): Promise<LogRow[]> {
  const [page] = await source.connections.withConnection((connection) =>
    read(connection, source, [boundedPage(orgId, query, place, count)]),
  );
  return rowsFrom(page);
}
