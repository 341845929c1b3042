import type { Context } from '../../kernel/context.ts';
import { notFound } from '../../kernel/errors/errors.ts';
import { limitReached } from '../../kernel/errors/field-errors.ts';
import { wholeSecond } from '../../kernel/texts/dates.ts';
import { assertVersion, type Version } from '../../kernel/version.ts';
import { type Db, type Tx, waitForOthers } from '../../platform/postgres/index.ts';
import type { Change, EventType, Record, Target, Work } from '../../system-log/index.ts';
import { createOnce } from './create-once.ts';
import type { ResourceStore } from './resource-store.ts';

export interface VersionedRow {
  readonly lastUpdatedAt: Date;
  readonly revision: number;
}

export const changedRow = <Row extends VersionedRow>(context: Context, before: Row, changes: Partial<Row>): Row => ({
  ...before,
  ...changes,
  lastUpdatedAt: wholeSecond(context.now),
  revision: before.revision + 1,
});

export interface Limit {
  readonly maximum: number;
  readonly field: string;
  readonly plural: string;
}

/** Other creations wait, so the count stays correct. */
export async function assertRoom(
  tx: Tx,
  { orgId }: Context,
  store: Pick<ResourceStore<unknown>, 'count' | 'table'>,
  { field, maximum, plural }: Limit,
): Promise<void> {
  await waitForOthers(tx, orgId, store.table);
  if ((await store.count(tx, orgId, maximum)) < maximum) return;
  throw limitReached(field, maximum, plural);
}

export interface ResourceDefinition<Row extends VersionedRow> {
  /** The type that a 404 names. */
  readonly noun: string;
  readonly store: Omit<ResourceStore<Row>, 'readPage'>;
  /** Returns the version of a row. The id in it must be the id in the table's primary key. */
  readonly version: (row: Row) => Version;
  readonly target: (change: Change<Row>, context: Context) => Target;
  readonly events: { readonly create: EventType; readonly update: EventType; readonly delete: EventType };
  readonly limit: Limit;
  /** Applies further effects in the same transaction, after the row is written or deleted and the event is recorded. */
  readonly follow?: (tx: Tx, context: Context, change: Change<Row>, record: Record) => Promise<void>;
}

export interface Resource<Row extends VersionedRow> {
  /** Throws 404 E0000007 when the org has no row with this id. */
  readonly get: (db: Db, context: Context, id: string) => Promise<Row>;
  /** Locks the row and checks If-Match. */
  readonly lock: (tx: Tx, context: Context, id: string) => Promise<Row>;
  /**
   * Stores a row that `lock` returned and `changedRow` changed. Records `event`, which is the update event by default.
   */
  readonly write: (
    tx: Tx,
    context: Context,
    change: readonly [before: Row, after: Row],
    record: Record,
    event?: EventType,
  ) => Promise<Row>;
  /**
   * Creates the row unless `check` throws. `check` runs while other creations wait. A request that repeats an
   * `Idempotency-Key` gets the row that the first request created.
   */
  readonly create: (work: Work, context: Context, row: Row, check?: (tx: Tx) => Promise<void>) => Promise<Row>;
  /** Applies the changes that `changesOf` returns. If the event would show no change, nothing is stored or recorded. */
  readonly replace: (
    work: Work,
    context: Context,
    id: string,
    changesOf: (before: Row, tx: Tx) => Partial<Row> | Promise<Partial<Row>>,
  ) => Promise<Row>;
  /** Deletes the row unless `check` throws. */
  readonly delete: (
    work: Work,
    context: Context,
    id: string,
    check?: (row: Row, tx: Tx) => void | Promise<void>,
  ) => Promise<void>;
}

export function resource<Row extends VersionedRow>(definition: ResourceDefinition<Row>): Resource<Row> {
  const { events, follow, limit, noun, store, target, version } = definition;

  const present = (row: Row | undefined, id: string): Row => {
    if (row === undefined) throw notFound(id, noun);
    return row;
  };

  const lock: Resource<Row>['lock'] = async (tx, context, id) => {
    const row = present(await store.findForUpdate(tx, context.orgId, id), id);
    assertVersion(context, version(row));
    return row;
  };

  const write: Resource<Row>['write'] = async (tx, context, change, record, event = events.update) => {
    const [, after] = change;
    await store.update(tx, context.orgId, after);
    record({ eventType: event, target: [target(change, context)] });
    await follow?.(tx, context, change, record);
    return after;
  };

  return {
    lock,
    write,
    get: async (db, context, id) => present(await store.find(db, context.orgId, id), id),
    create: (work, context, row, check) =>
      work(context, (tx, record) =>
        createOnce(tx, context, version(row).id, store.find, async () => {
          await assertRoom(tx, context, store, limit);
          await check?.(tx);
          await store.insert(tx, context.orgId, row);
          record({ eventType: events.create, target: [target([null, row], context)] });
          await follow?.(tx, context, [null, row], record);
          return row;
        }),
      ),
    replace: (work, context, id, changesOf) =>
      work(context, async (tx, record) => {
        const before = await lock(tx, context, id);
        const after = changedRow(context, before, await changesOf(before, tx));
        const isSame = target([before, after], context).changeDetails === undefined;
        return isSame ? before : write(tx, context, [before, after], record);
      }),
    delete: (work, context, id, check) =>
      work(context, async (tx, record) => {
        const row = await lock(tx, context, id);
        await check?.(row, tx);
        await store.remove(tx, context.orgId, version(row).id);
        record({ eventType: events.delete, target: [target([row, null], context)] });
        await follow?.(tx, context, [row, null], record);
      }),
  };
}

export type Activation = 'activate' | 'deactivate';

interface Activatable<Status extends string> {
  readonly allows: (status: Status, action: Activation) => boolean;
  readonly transition: (action: Activation) => {
    readonly to: readonly Status[] | 'unchanged' | 'removed';
    readonly event: EventType;
  };
}

/** Returns null if the lifecycle does not allow the action in the row's status. */
export function activated<Row extends VersionedRow & { readonly status: string }>(
  context: Context,
  before: Row,
  lifecycle: Activatable<Row['status']>,
  action: Activation,
): { readonly after: Row; readonly event: EventType } | null {
  const status: Row['status'] = before.status;
  if (!lifecycle.allows(status, action)) return null;
  const { event, to } = lifecycle.transition(action);
  const [next] = typeof to === 'string' ? [] : to;
  if (next === undefined) throw new Error(`${action} leads to no status`);
  return { after: { ...changedRow(context, before, {}), status: next }, event };
}

/**
 * Derives the use case that activates or deactivates a row. `also` returns further changes. If the lifecycle does not
 * allow the action, the row stays as it is.
 */
export const statusChange =
  <Row extends VersionedRow & { readonly status: string }>(
    of: Resource<Row>,
    lifecycle: Activatable<Row['status']>,
    also: (context: Context, action: Activation) => Partial<Row> = () => ({}),
  ) =>
  (work: Work, context: Context, id: string, action: Activation): Promise<Row> =>
    work(context, async (tx, record) => {
      const before = await of.lock(tx, context, id);
      const change = activated(context, before, lifecycle, action);
      if (change === null) return before;
      const after = { ...change.after, ...also(context, action) };
      return of.write(tx, context, [before, after], record, change.event);
    });
