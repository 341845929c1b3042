import type { OrgId } from '../../kernel/words/ids.ts';

/** The maximum number of ids in one statement. It bounds how long one statement holds its connection. */
const MAXIMUM_IDS = 64;
/** The maximum number of statements of one org at the same time. Further reads wait for one of them to end. */
const MAXIMUM_STATEMENTS = 2;

interface Waiting<Row> {
  readonly id: string;
  readonly resolve: (row: Row | undefined) => void;
  readonly reject: (error: unknown) => void;
}

interface OrgReads<Row> {
  readonly waiting: Waiting<Row>[];
  underWay: number;
  isScheduled: boolean;
}

/** Finds one row by its id. Resolves with undefined if there is none. */
export type FindById<Row> = (orgId: OrgId, id: string) => Promise<Row | undefined>;

/**
 * Creates a reader that reads the rows of several requests with one statement. `load` reads the rows of one org by id
 * and leaves out unknown ids. A read never gets the result of a statement that was sent before the read began. If a
 * statement fails, all its reads fail.
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
  }

  return (orgId, id) =>
    new Promise((resolve, reject) => {
      const org = orgs.get(orgId) ?? { waiting: [], underWay: 0, isScheduled: false };
      orgs.set(orgId, org);
      org.waiting.push({ id, resolve, reject });
      if (org.isScheduled || org.underWay >= MAXIMUM_STATEMENTS) return;
      org.isScheduled = true;
      // Requests that arrive together are read from their sockets before this runs, so their reads share a statement.
      setImmediate(() => send(orgId, org));
    });
}
