import type { OrgId } from '../../kernel/words/ids.ts';
import { createOrgTurns } from './org-turns.ts';

/** The maximum number of reads that share a statement. */
const MAXIMUM_IDS = 64;
/** The maximum number of statements of one org at the same time. */
const MAXIMUM_STATEMENTS = 2;

interface Read<Row> {
  readonly id: string;
  readonly resolve: (row: Row | undefined) => void;
  readonly reject: (error: unknown) => void;
}

export type FindById<Row> = (orgId: OrgId, id: string) => Promise<Row | undefined>;

/**
 * Creates a reader that reads the rows of several requests with one statement. A read never gets a result of a
 * statement that was sent before the read began. If a statement fails, all its reads fail.
 */
export function gatherReads<Row extends { readonly id: string }>(
  load: (orgId: OrgId, ids: readonly string[]) => Promise<readonly Row[]>,
): FindById<Row> {
  async function serve(orgId: OrgId, reads: readonly Read<Row>[]): Promise<void> {
    try {
      const rows = await load(orgId, [...new Set(reads.map(({ id }) => id))]);
      const byId = new Map(rows.map((row) => [row.id, row]));
      for (const { id, resolve } of reads) resolve(byId.get(id));
    } catch (error) {
      for (const { reject } of reads) reject(error);
    }
  }
  const queue = createOrgTurns<Read<Row>>({ maximumItems: MAXIMUM_IDS, maximumUnderWay: MAXIMUM_STATEMENTS, serve });
  return (orgId, id) =>
    new Promise((resolve, reject) => {
      queue(orgId, { id, resolve, reject });
    });
}
