import type { OrgId } from '../../../kernel/words/ids.ts';
import type { Connections } from '../../relay/connections.ts';
import type { UnsealedRow } from '../packing/unsealed-row.ts';
import { readUnsealedRows } from './sealing-store.ts';

/** A page is short, so that neither its statement nor its copy for the packing thread delays anything else. */
const PAGE_EVENTS = 500;
const PAGE_BYTES = 2_000_000;

export interface ReaderRange {
  readonly orgId: OrgId;
  readonly after: number;
  readonly upTo: number;
}

/** Reads the unsealed events of an org page by page, and holds a connection only while it reads a page. */
export class RowReader {
  readonly #connections: Connections;
  readonly #range: ReaderRange;
  #rows: readonly UnsealedRow[] = [];
  /** The last row of the page that was read last. */
  #last: UnsealedRow | null = null;
  #isAtEnd = false;

  constructor(connections: Connections, range: ReaderRange) {
    this.#connections = connections;
    this.#range = range;
  }

  /** Returns the next rows, and none at the end of the range. They stay the next ones until they are taken. */
  async next(): Promise<readonly UnsealedRow[]> {
    if (this.#rows.length === 0 && !this.#isAtEnd) await this.#readPage();
    return this.#rows;
  }

  take(count: number): void {
    this.#rows = this.#rows.slice(count);
  }

  async #readPage(): Promise<void> {
    const { orgId, upTo } = this.#range;
    const last = this.#last;
    // The pages overlap by one row, so that a second row at the last position of a page is not missed.
    const after = last === null ? this.#range.after : last.position - 1;
    const read = await this.#connections.withConnection((connection) =>
      readUnsealedRows(connection, orgId, { after, upTo, limit: PAGE_EVENTS, maximumBytes: PAGE_BYTES }),
    );
    const known = last === null ? -1 : read.findIndex((row) => isSame(row, last));
    this.#rows = known === -1 ? read : read.toSpliced(known, 1);
    this.#last = this.#rows.at(-1) ?? last;
    this.#isAtEnd = this.#rows.length === 0;
  }
}

const isSame = (one: UnsealedRow, other: UnsealedRow): boolean =>
  one.position === other.position && one.persistedAt === other.persistedAt && one.hash.equals(other.hash);
