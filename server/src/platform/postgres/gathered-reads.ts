import type { OrgId } from '../../kernel/words/ids.ts';
import { unavailable } from './connections/failures.ts';

/** The maximum number of ids in one statement. It bounds how long one statement holds its connection. */
const MAXIMUM_IDS = 64;
/** The maximum number of statements of one org at the same time. Further reads wait for one of them to end. */
const MAXIMUM_STATEMENTS = 2;
/** The maximum number of reads of one org that wait for a statement. */
const MAXIMUM_WAITING = 1_000;
/** The maximum time that a read waits for a statement. Requests wait equally long for a connection. */
const MAXIMUM_WAIT_MILLISECONDS = 5_000;

interface Waiting<Row> {
  readonly id: string;
  readonly since: number;
  readonly resolve: (row: Row | undefined) => void;
  readonly reject: (error: unknown) => void;
}

interface OrgReads<Row> {
  readonly waiting: Waiting<Row>[];
  underWay: number;
  isScheduled: boolean;
  /** Refuses the reads that have waited too long. It is set when a read has to wait for a statement to end. */
  timer: NodeJS.Timeout | null;
}

/** Finds one row by its id. Resolves with undefined if there is none. */
export type FindById<Row> = (orgId: OrgId, id: string) => Promise<Row | undefined>;

/**
 * Creates a reader that reads the rows of several requests with one statement. `load` reads the rows of one org by id;
 * unknown ids are left out. A read never gets a result of a statement that was sent before the read began. If a
 * statement fails, all its reads fail. Rejects with 503 E0000181 if too many reads wait, or if one waits too long.
 */
export function gatherReads<Row extends { readonly id: string }>(
  load: (orgId: OrgId, ids: readonly string[]) => Promise<readonly Row[]>,
): FindById<Row> {
  const orgs = new Map<OrgId, OrgReads<Row>>();

  async function read(orgId: OrgId, reads: readonly Waiting<Row>[]): Promise<void> {
    try {
      const rows = await load(orgId, [...new Set(reads.map(({ id }) => id))]);
      const byId = new Map(rows.map((row) => [row.id, row]));
      for (const { id, resolve } of reads) resolve(byId.get(id));
    } catch (error) {
      for (const { reject } of reads) reject(error);
    }
  }

  function refuseOverdue(org: OrgReads<Row>): void {
    org.timer = null;
    const overdue = performance.now() - MAXIMUM_WAIT_MILLISECONDS;
    while ((org.waiting[0]?.since ?? Number.POSITIVE_INFINITY) <= overdue) org.waiting.shift()?.reject(unavailable());
    watch(org);
  }

  function watch(org: OrgReads<Row>): void {
    const [first] = org.waiting;
    if (first === undefined || org.timer !== null) return;
    const left = first.since + MAXIMUM_WAIT_MILLISECONDS - performance.now();
    org.timer = setTimeout(() => refuseOverdue(org), Math.max(0, Math.ceil(left)));
    org.timer.unref();
  }

  function send(orgId: OrgId, org: OrgReads<Row>): void {
    org.isScheduled = false;
    while (org.waiting.length > 0 && org.underWay < MAXIMUM_STATEMENTS) {
      org.underWay += 1;
      void read(orgId, org.waiting.splice(0, MAXIMUM_IDS)).then(() => {
        org.underWay -= 1;
        if (org.waiting.length > 0) send(orgId, org);
        else if (org.underWay === 0 && !org.isScheduled) orgs.delete(orgId);
      });
    }
    watch(org);
  }

  return (orgId, id) =>
    new Promise((resolve, reject) => {
      const org = orgs.get(orgId) ?? { waiting: [], underWay: 0, isScheduled: false, timer: null };
      orgs.set(orgId, org);
      if (org.waiting.length >= MAXIMUM_WAITING) {
        reject(unavailable());
        return;
      }
      org.waiting.push({ id, since: performance.now(), resolve, reject });
      if (org.isScheduled) return;
      if (org.underWay >= MAXIMUM_STATEMENTS) {
        watch(org);
        return;
      }
      org.isScheduled = true;
      // Requests that arrive together are read from their sockets before this runs, so their reads share a statement.
      setImmediate(() => send(orgId, org));
    });
}
