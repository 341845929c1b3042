import { randomUUID } from 'node:crypto';
import {
  appliedAmong,
  applyDeferred,
  beat,
  type ConnectionSettings,
  type Db,
  dropOldNodes,
  forgetNode,
  type KnownMigrations,
} from '../../platform/postgres/index.ts';

/**
 * A process tells the others every second which build it runs, and learns which forms of rows it may write. A build
 * that knows a new form reads it at once, but writes it only when no process of an older build can be running
 * (ADR 0070).
 */
export interface Nodes {
  readonly start: () => void;
  readonly stop: () => Promise<void>;
  readonly beat: () => Promise<void>;
  /**
   * Tells whether rows may have the form that a migration allows. Returns false until a beat has found the migration
   * applied.
   */
  readonly mayWrite: (migration: number) => boolean;
}

export interface NodesOptions {
  readonly db: Db;
  readonly connection: ConnectionSettings;
  readonly migrations: () => Promise<KnownMigrations>;
  readonly onApplied: (names: readonly string[]) => void;
  readonly onError: (error: unknown) => void;
}

const BEAT_MILLISECONDS = 1_000;
const LONGEST_GAP_MILLISECONDS = 5_000;
/** A process can be sure that no older build is running only after this many beats without a long gap. */
const BEATS_BEFORE_APPLYING = 60;

export function createNodes(options: NodesOptions): Nodes {
  const { connection, db, migrations, onApplied, onError } = options;
  const nodeId = randomUUID();
  let applied: ReadonlySet<number> = new Set();
  let beats = 0;
  let lastAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let isBusy = false;
  let known: KnownMigrations | undefined;
  const one = async (): Promise<void> => {
    known ??= await migrations();
    const { deferred, version } = known;
    await beat(db, nodeId, version);
    // After a long gap between beats, the count starts again, because an older build may have run unnoticed.
    const now = performance.now();
    beats = now - lastAt > LONGEST_GAP_MILLISECONDS ? 1 : beats + 1;
    lastAt = now;
    if (beats % BEATS_BEFORE_APPLYING === 0) await dropOldNodes(db);
    if (deferred.every((migration) => applied.has(migration))) return;
    if (beats % BEATS_BEFORE_APPLYING === 0) {
      const names = await applyDeferred(connection);
      if (names.length > 0) onApplied(names);
    }
    applied = await appliedAmong(db, deferred);
  };
  const tick = (): void => {
    if (isBusy) return;
    isBusy = true;
    running = one()
      .catch(onError)
      .finally(() => {
        isBusy = false;
      });
  };
  return {
    beat: one,
    mayWrite: (migration) => applied.has(migration),
    start: () => {
      tick();
      timer = setInterval(tick, BEAT_MILLISECONDS);
      timer.unref();
    },
    stop: async () => {
      clearInterval(timer);
      await running;
      await forgetNode(db, nodeId).catch(onError);
    },
  };
}
