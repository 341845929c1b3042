import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../kernel/clock.ts';
import type { OrgId } from '../../kernel/words/ids.ts';
import { failureCode } from '../../platform/postgres/index.ts';
import { signAnchor } from '../proof/index.ts';
import { type Connections, inTransaction, type LogConnection } from '../relay/connections.ts';
import type { LogSigner } from '../relay/log-signer.ts';
import { dropEmptyPartitions } from './empty-partitions.ts';
import { allEnds, areSame, type End, ORGS_PER_PAGE, pageOfEnds } from './org-ends.ts';
import { isPassing, type OrgFailure, OrgPrefixes } from './org-prefixes.ts';
import { followClock, windowEnd } from './retention-clock.ts';
import {
  type Anchor,
  closePartition,
  dropPartition,
  findLongestWindow,
  findPartitions,
  insertAnchors,
  noteFirstRun,
  noteRetentionClock,
  type OrgEnd,
  type Partition,
  readRetentionClock,
  tryRetentionLock,
} from './retention-store.ts';
import { areSegmentsLeft } from './segment-retention-store.ts';

export interface RetentionPorts {
  readonly connections: Connections;
  readonly clock: Clock;
  readonly logSigner: LogSigner;
  readonly onRun?: (report: RetentionReport) => void;
  /** This is called for each org whose log could not be shortened, except for a reason that passes. */
  readonly onFailure?: (error: unknown, orgId: OrgId) => void;
}

export interface RetentionReport {
  /** This is false if the clock was not trusted, in which case nothing was dropped. */
  readonly clockTrusted: boolean;
  /** Whether the clock has changed by more than a day since the previous run. */
  readonly clockStepped: boolean;
  readonly dropped: readonly string[];
  /** The number of events deleted in segments, fresh rows, and partitions that stay. */
  readonly deleted: number;
  /** The partitions that were dropped because sealing had emptied them, so that no event left the log with them. */
  readonly emptied: readonly string[];
  /** Whether work may remain for another run. */
  readonly unfinished: boolean;
}

const DAYS_ALWAYS_KEPT = 90;
const SIGNATURES_AT_ONCE = 8;
const DROP_ATTEMPTS = 20;
const LONGEST_PAUSE_MILLISECONDS = 2_000;
const LONGEST_RUN_MILLISECONDS = 10 * 60_000;

/**
 * `changed` means that the last events are not the signed ones. `later` means that the table or the lock is in use.
 * `stuck` means that older events of an org have to stay, so that the partition has to stay too.
 */
type Attempt = 'done' | 'changed' | 'later' | 'stuck';

const UNDEFINED_TABLE = '42P01';
/** The PostgreSQL error codes for a lock that is not available and for a deadlock. */
const IN_USE: ReadonlySet<string | undefined> = new Set(['55P03', '40P01']);

class Run {
  readonly #ports: RetentionPorts;
  readonly #signal: AbortSignal;
  readonly #now: Date;
  readonly #startedAt = performance.now();
  readonly #prefixes: OrgPrefixes;
  readonly dropped: string[] = [];
  #unfinished = false;

  constructor(ports: RetentionPorts, now: Date, signal: AbortSignal) {
    this.#ports = ports;
    this.#now = now;
    this.#signal = signal;
    this.#prefixes = new OrgPrefixes({
      connections: ports.connections,
      now,
      isOver: () => this.#isOver(),
      anchorOf: (orgId, place) => this.#anchorOf({ orgId, ...place }),
    });
  }

  get deleted(): number {
    return this.#prefixes.deleted;
  }

  get failures(): readonly OrgFailure[] {
    return this.#prefixes.failures;
  }

  get unfinished(): boolean {
    return this.#unfinished || this.#prefixes.unfinished;
  }

  #isOver(): boolean {
    const over = this.#signal.aborted || performance.now() - this.#startedAt > LONGEST_RUN_MILLISECONDS;
    this.#unfinished ||= over;
    return over;
  }

  #with<Result>(use: (connection: LogConnection) => Promise<Result>): Promise<Result> {
    return this.#ports.connections.withConnection(use);
  }

  /** Segments come first, then the rows of partitions, then fresh rows: what leaves is a prefix of every chain. */
  async run(): Promise<void> {
    await this.#prefixes.deleteSegments();
    const [longest, partitions] = await this.#with(async (connection) => [
      await findLongestWindow(connection),
      await findPartitions(connection),
    ]);
    try {
      await this.#servePartitions(partitions, longest);
    } finally {
      if (!this.#isOver()) await this.#prefixes.deleteFresh();
    }
  }

  /** No partition is dropped after one that has to stay, because dropped events must be a prefix of every chain. */
  async #servePartitions(partitions: readonly Partition[], longest: number): Promise<void> {
    for (const partition of partitions) {
      if (this.#isOver() || partition.first >= windowEnd(this.#now, DAYS_ALWAYS_KEPT)) return;
      try {
        if (partition.last > windowEnd(this.#now, longest)) await this.#shorten(partition, longest);
        else {
          const result = await this.#drop(partition);
          if (result === 'later') return;
          // The other orgs' events in the partition leave one by one.
          if (result === 'stuck') await this.#shorten(partition, Number.POSITIVE_INFINITY);
        }
      } catch (error) {
        // Another process has dropped the partition in the meantime.
        if (failureCode(error) === UNDEFINED_TABLE) continue;
        if (!isPassing(error)) throw error;
        // A partition with many deleted rows takes long to look through until vacuum was there. Fresh rows may leave.
        this.#unfinished = true;
        return;
      }
    }
  }

  async #drop(partition: Partition): Promise<'done' | 'later' | 'stuck'> {
    let anchors: readonly Anchor[] | null = null;
    for (let attempt = 1; attempt <= DROP_ATTEMPTS && !this.#isOver(); attempt += 1) {
      // Anchors are signed before the transaction, because signing takes longer than the lock may be held.
      anchors ??= await this.#anchorsOf(partition);
      const result = anchors === null ? 'stuck' : await this.#tryDrop(partition, anchors);
      if (result === 'done') this.dropped.push(partition.name);
      if (result === 'stuck') this.#unfinished = true;
      if (result === 'done' || result === 'stuck') return result;
      if (result === 'changed') anchors = null;
      await this.#pause(Math.min(100 * 2 ** attempt, LONGEST_PAUSE_MILLISECONDS) * (0.5 + Math.random()));
    }
    this.#unfinished = true;
    return 'later';
  }

  #tryDrop(partition: Partition, anchors: readonly Anchor[]): Promise<Attempt> {
    return this.#with(async (connection) => {
      let result: Attempt = 'later';
      try {
        await inTransaction(connection, tryRetentionLock, async () => {
          await closePartition(connection, partition);
          // A window may have been made longer since the run looked.
          if (partition.last > windowEnd(this.#now, await findLongestWindow(connection))) return null;
          if (!areSame(await allEnds((after) => pageOfEnds(connection, partition, after)), anchors)) {
            result = 'changed';
            return null;
          }
          for (let at = 0; at < anchors.length; at += ORGS_PER_PAGE) {
            const page = anchors.slice(at, at + ORGS_PER_PAGE);
            // The sealer cannot delete rows of the partition any more, so this also finds its last segments.
            if (await areSegmentsLeft(connection, page)) {
              result = 'stuck';
              return null;
            }
            await insertAnchors(connection, page, this.#now);
          }
          await dropPartition(connection, partition);
          return true;
        }).then((committed) => {
          if (committed !== null) result = 'done';
        });
      } catch (error) {
        if (!IN_USE.has(failureCode(error))) throw error;
      }
      return result;
    });
  }

  /** Returns null if the partition has events of an org whose older ones have to stay. */
  async #anchorsOf(partition: Partition): Promise<Anchor[] | null> {
    // Each page has a use of its own, so that the sealer is not kept from the connection for long.
    const ends = await allEnds((after) => this.#with((connection) => pageOfEnds(connection, partition, after)));
    return ends.some(({ orgId }) => this.#prefixes.isStuck(orgId)) ? null : this.#sign(ends);
  }

  async #sign(ends: readonly OrgEnd[]): Promise<Anchor[]> {
    const anchors: Anchor[] = [];
    for (let at = 0; at < ends.length; at += SIGNATURES_AT_ONCE) {
      const group = ends.slice(at, at + SIGNATURES_AT_ONCE);
      anchors.push(...(await Promise.all(group.map((end) => this.#anchorOf(end)))));
    }
    return anchors;
  }

  async #anchorOf({ orgId, position, hash }: End): Promise<Anchor> {
    const { logSigner } = this.#ports;
    return { orgId, position, hash, signed: await signAnchor(logSigner, orgId, { position, hash }, this.#now) };
  }

  /** Deletes events that have left a window shorter than `longest`. */
  async #shorten(partition: Partition, longest: number): Promise<void> {
    let afterOrgId = '';
    for (;;) {
      const ends = await this.#with((connection) => pageOfEnds(connection, partition, afterOrgId));
      for (const { days, orgId } of ends) {
        afterOrgId = orgId;
        if (days === null || days >= longest) continue;
        const before = windowEnd(this.#now, days);
        if (before > partition.first) await this.#prefixes.deleteRows(partition, orgId, before);
        if (this.#isOver()) return;
      }
      if (ends.length < ORGS_PER_PAGE) return;
    }
  }

  async #pause(milliseconds: number): Promise<void> {
    await delay(milliseconds, undefined, { signal: this.#signal }).catch(() => undefined);
  }
}

/** A part of the job that fails does not keep the others from their work. The job fails at its end. */
async function partOf<Result>(work: () => Promise<Result>): Promise<{ result: Result | null; errors: unknown[] }> {
  try {
    return { result: await work(), errors: [] };
  } catch (error) {
    return { result: null, errors: [error] };
  }
}

/**
 * Drops the weekly partitions whose events have left the longest window of any org. Deletes segments, fresh rows, and
 * rows of the partitions that stay, if their events have left their own org's window. Stores signed anchors in the same
 * transactions. Drops and deletes nothing while the clock is not trusted.
 */
export async function runRetention(ports: RetentionPorts, signal: AbortSignal): Promise<RetentionReport> {
  const { isStep, now } = await ports.connections.withConnection(async (connection) => {
    const noted = await readRetentionClock(connection);
    const time = followClock(noted.clock, ports.clock.now(), noted.databaseNow);
    await noteRetentionClock(connection, time.clock);
    await noteFirstRun(connection);
    return time;
  });
  const run = now === null ? null : new Run(ports, now, signal);
  // Empty partitions go first, because finding out that they have no events takes long while they have deleted rows.
  const emptied = await partOf(async () => (run === null ? null : dropEmptyPartitions(ports.connections, signal)));
  const retained = await partOf(async () => run?.run());
  const report: RetentionReport = {
    clockTrusted: run !== null,
    clockStepped: isStep,
    dropped: run?.dropped ?? [],
    deleted: run?.deleted ?? 0,
    emptied: emptied.result?.dropped ?? [],
    unfinished: run?.unfinished === true || emptied.result?.unfinished === true,
  };
  ports.onRun?.(report);
  const failures = run?.failures ?? [];
  for (const { error, orgId } of failures) ports.onFailure?.(error, orgId);
  const errors = [...retained.errors, ...emptied.errors];
  if (errors.length > 0) throw errors[0];
  const [first] = failures;
  if (first === undefined) return report;
  const message = first.error instanceof Error ? first.error.message : String(first.error);
  throw new Error(`the logs of ${failures.length} orgs could not be shortened; that of ${first.orgId}: ${message}`, {
    cause: first.error,
  });
}
