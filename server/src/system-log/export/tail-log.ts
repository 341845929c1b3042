import { setTimeout as delay } from 'node:timers/promises';
import type { OrgId } from '../../kernel/words/ids.ts';
import { findExportRows } from '../ledger/ledger-pages-store.ts';
import type { Connections } from '../relay/connections.ts';
import { findHead, findLastAnchor } from '../relay/ledger-store.ts';
import { eventFilter } from './event-filter.ts';

export interface TailRequest {
  readonly filter: string | null;
  readonly count: number;
}

export interface Tail {
  /** Matching events as stored, oldest first. */
  readonly bodies: readonly string[];
  /** The position after which the caller can continue to read. */
  readonly position: number;
}

const PAGE = { limit: 500, maximumBytes: 4_000_000 } as const;
const POLL_MILLISECONDS = 500;
const ALWAYS = { since: null, until: null } as const;

type Accepts = (body: string) => boolean;

const acceptorOf = (filter: string | null): Accepts => (filter === null ? () => true : eventFilter(filter));

/** Returns the matching events of one page in order, and the last examined position. */
async function readOn(
  connections: Connections,
  orgId: OrgId,
  { after, upTo }: { readonly after: number; readonly upTo: number },
  accepts: Accepts,
): Promise<Tail> {
  const rows = await connections.withConnection((connection) =>
    findExportRows(connection, orgId, { ...PAGE, after, upTo }, ALWAYS),
  );
  const bodies = rows.flatMap(({ body }) => (body !== null && accepts(body) ? [body] : []));
  // Missing events are skipped, because this is a view of the log and not a proof.
  return { bodies, position: rows.at(-1)?.position ?? upTo };
}

/** Finds the newest matching events, searching backward from the head. */
export async function readTail(connections: Connections, orgId: OrgId, request: TailRequest): Promise<Tail> {
  const accepts = acceptorOf(request.filter);
  const { first, head } = await connections.withConnection(async (connection) => ({
    head: (await findHead(connection, orgId))?.position ?? 0,
    first: (await findLastAnchor(connection, orgId))?.position ?? 0,
  }));
  let found: string[] = [];
  for (let end = head; end > first && found.length < request.count; end -= PAGE.limit) {
    const timeWindow: string[] = [];
    let after = Math.max(end - PAGE.limit, first);
    while (after < end) {
      const page = await readOn(connections, orgId, { after, upTo: end }, accepts);
      timeWindow.push(...page.bodies);
      after = page.position;
    }
    found = [...timeWindow, ...found].slice(-request.count);
  }
  return { bodies: request.count === 0 ? [] : found, position: head };
}

/** Yields matching events after a position until the signal aborts. */
export async function* followLog(
  connections: Connections,
  orgId: OrgId,
  { filter, position }: { readonly filter: string | null; readonly position: number },
  signal: AbortSignal,
): AsyncGenerator<readonly string[]> {
  const accepts = acceptorOf(filter);
  let after = position;
  while (!signal.aborted) {
    const head = await connections.withConnection((connection) => findHead(connection, orgId));
    const upTo = head?.position ?? 0;
    while (after < upTo && !signal.aborted) {
      const page = await readOn(connections, orgId, { after, upTo }, accepts);
      after = page.position;
      if (page.bodies.length > 0) yield page.bodies;
    }
    await delay(POLL_MILLISECONDS, undefined, { signal }).catch(() => undefined);
  }
}
