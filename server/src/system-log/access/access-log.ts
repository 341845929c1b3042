import type { Context, Principal } from '../../kernel/context.ts';
import { boundedCache } from '../../platform/caches/index.ts';
import type { Db } from '../../platform/postgres/index.ts';
import type { QueryEntries } from '../query/query-parameters.ts';
import type { Work } from '../relay/work.ts';
import { dropOldReads, dropOldSkips, noteRead, noteSkip } from './access-log-store.ts';

/** A trace records who reads the log. Reads neither wait for these records nor fail because of them. */
export interface LogTrace {
  /** Records that somebody read the log, as one event per reader and hour. */
  readonly read: (context: Context, entries: QueryEntries) => void;
  /** Records once per reader and cursor that the reader missed events. `count` returns the number of missed events. */
  readonly skipped: (context: Context, position: number, count: () => Promise<number>) => void;
  /** Resolves when every write noted so far has succeeded or failed. */
  readonly settled: () => Promise<void>;
}

export interface LogTraceOptions {
  readonly work: Work;
  /** While this function returns true, nothing new is recorded, because each record adds to the backlog. */
  readonly isBusy?: () => boolean;
  readonly onError?: (error: unknown) => void;
}

const HOUR_MILLISECONDS = 3_600_000;
const READS_KEPT_MILLISECONDS = 48 * HOUR_MILLISECONDS;
const SKIPS_KEPT_MILLISECONDS = 180 * 24 * HOUR_MILLISECONDS;
/** The maximum number of recorded reads and cursors that a process remembers, so as not to ask the database again. */
const MAXIMUM_REMEMBERED = 20_000;
/** The maximum number of waiting writes. Beyond it, nothing new is recorded. */
const MAXIMUM_WAITING = 1_000;
const LONGEST_TOLD = 1_000;

function readerOf(principal: Principal): string | null {
  if (principal.kind === 'apiToken') return principal.tokenId;
  if (principal.kind === 'oauthClient') return principal.clientId;
  return principal.kind === 'session' || principal.kind === 'oauthUser' ? principal.userId : null;
}

const hourOf = (instant: Date): Date => new Date(Math.floor(instant.getTime() / HOUR_MILLISECONDS) * HOUR_MILLISECONDS);

const askedOf = (entries: QueryEntries): Record<string, string> =>
  Object.fromEntries(
    entries.filter(([name]) => name !== 'after').map(([name, value]) => [name, value.slice(0, LONGEST_TOLD)]),
  );

type Write = (context: Context) => Promise<void>;

/** Responses do not wait for the writes, which run one after another. */
export function createLogTrace({ isBusy = () => false, onError, work }: LogTraceOptions): LogTrace {
  const remembered = boundedCache<string, true>(MAXIMUM_REMEMBERED);
  let waiting = 0;
  let last: Promise<void> = Promise.resolve();

  function once(name: string, context: Context, write: Write): void {
    if (remembered.has(name) || waiting >= MAXIMUM_WAITING || isBusy()) return;
    remembered.set(name, true);
    waiting += 1;
    last = last
      .then(() => write(context))
      .catch((error: unknown) => {
        remembered.delete(name);
        onError?.(error);
      })
      .finally(() => {
        waiting -= 1;
      });
  }

  return {
    read: (given, entries) => {
      const readerId = readerOf(given.principal);
      if (readerId === null) return;
      const hour = hourOf(given.now);
      once(`read\0${given.orgId}\0${readerId}\0${hour.getTime()}`, given, (context) =>
        work(context, async (tx, record) => {
          if (!(await noteRead(tx, context.orgId, readerId, hour))) return;
          record({ eventType: 'system.log.read', debugData: askedOf(entries) });
        }),
      );
    },
    skipped: (given, position, count) => {
      const readerId = readerOf(given.principal);
      if (readerId === null) return;
      once(`skip\0${given.orgId}\0${readerId}\0${position}`, given, async (context) => {
        const skippedEvents = await count();
        if (skippedEvents <= 0) return;
        await work(context, async (tx, record) => {
          if (!(await noteSkip(tx, context.orgId, readerId, position, context.now))) return;
          const debugData = { cursorPosition: String(position), skippedEvents: String(skippedEvents) };
          record({ eventType: 'system.log.cursor.skip', debugData });
        });
      });
    },
    settled: () => last,
  };
}

export async function dropOldTraces(db: Db, now: Date): Promise<void> {
  await dropOldReads(db, new Date(now.getTime() - READS_KEPT_MILLISECONDS));
  await dropOldSkips(db, new Date(now.getTime() - SKIPS_KEPT_MILLISECONDS));
}
