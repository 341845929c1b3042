import type { OrgId } from '../../kernel/words/ids.ts';
import type { Db } from '../../platform/postgres/index.ts';
import { type ExportRow, findExportRows } from '../ledger/ledger-pages-store.ts';
import { latestCheckpoint } from '../proof/checkpoints/checkpoint-store.ts';
import type { Connections, LogConnection } from '../relay/connections.ts';
import { type ChainPlace, findHead, findLastAnchor, findPlace, findWindowEnds } from '../relay/ledger-store.ts';
import { GENESIS_HASH } from '../rendering/digest.ts';
import { csvHeader, csvRow } from './csv.ts';
import { eventFilter } from './event-filter.ts';
import { eventLine, headerLine } from './proof-lines.ts';

export const EXPORT_FORMATS = ['ndjson', 'csv'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export interface ExportRequest {
  readonly format: ExportFormat;
  /**
   * Whether the export includes digests, salts and hashes, so that the file can be verified without the database.
   * Such an export must be NDJSON.
   */
  readonly proof: boolean;
  readonly filter: string | null;
  /** The time range of `published`. `until` is exclusive. A time range cannot be combined with positions. */
  readonly since: Date | null;
  readonly until: Date | null;
  /** The first and the last position, both inclusive. */
  readonly fromPosition: number | null;
  readonly toPosition: number | null;
}

/** The decisions about an export. They stay the same if the export is resumed. */
export interface ExportPlan {
  /** The place in the chain after which the export starts. */
  readonly start: ChainPlace;
  /** The last position that is examined. */
  readonly to: number;
  /** The newest checkpoint up to the end, as a compact JWS. It is null if the export contains none. */
  readonly checkpoint: string | null;
}

/** This error is thrown if an export cannot be made or continued. The message is a sentence for the operator. */
export class ExportError extends Error {}

/** A page ends at this number of examined events, or at this total size of their bodies. */
const PAGE = { limit: 1_000, maximumBytes: 4_000_000 } as const;

async function endsOf(
  connection: LogConnection,
  orgId: OrgId,
  request: ExportRequest,
): Promise<{ readonly from: number; readonly to: number }> {
  const head = (await findHead(connection, orgId))?.position ?? 0;
  const left = (await findLastAnchor(connection, orgId))?.position ?? 0;
  if (request.since !== null || request.until !== null) {
    const found = await findWindowEnds(connection, orgId, request);
    return found === null ? { from: head + 1, to: head } : { from: found.first, to: Math.min(found.last, head) };
  }
  const { fromPosition, toPosition } = request;
  if (fromPosition !== null && fromPosition <= left) {
    throw new ExportError(`The events up to position ${left} have left the log: begin with ${left + 1}.`);
  }
  return { from: fromPosition ?? left + 1, to: Math.min(toPosition ?? head, head) };
}

export function planExport(
  { connections, db }: { readonly connections: Connections; readonly db: Db },
  orgId: OrgId,
  request: ExportRequest,
): Promise<ExportPlan> {
  return connections.withConnection(async (connection) => {
    const { from, to } = await endsOf(connection, orgId, request);
    const end = Math.max(to, from - 1);
    const genesis = { position: 0, hash: GENESIS_HASH };
    const start = from === 1 ? genesis : await findPlace(connection, orgId, from - 1);
    // This start is used only if no event is exported, so its hash does not matter.
    const nothing = { position: from - 1, hash: GENESIS_HASH };
    if (start === null && end >= from) throw missing(from - 1);
    const checkpoint = request.proof && end >= from ? await latestCheckpoint(db, orgId, end) : null;
    return { start: start ?? nothing, to: end, checkpoint };
  });
}

/** Returns null if there is neither an event nor an anchor at the position. */
export const findChainPlace = (connections: Connections, orgId: OrgId, position: number): Promise<ChainPlace | null> =>
  connections.withConnection((connection) => findPlace(connection, orgId, position));

const missing = (position: number): ExportError =>
  new ExportError(
    `The event at position ${position} is not in the log (any more): it left it meanwhile, or gatehouse log verify ` +
      'tells what happened.',
  );

export function exportHead(orgId: OrgId, request: ExportRequest, plan: ExportPlan): string {
  if (request.format === 'csv') return csvHeader();
  if (!request.proof) return '';
  return headerLine({
    gatehouseLogExport: 1,
    org: orgId,
    from: plan.start.position + 1,
    to: plan.to,
    previousHash: plan.start.hash.toString('base64url'),
    filter: request.filter,
    since: request.since?.toISOString() ?? null,
    until: request.until?.toISOString() ?? null,
    checkpoint: plan.checkpoint,
  });
}

export interface ExportPage {
  readonly text: string;
  /** The place of the last event that was examined. */
  readonly place: ChainPlace;
  readonly events: number;
}

/** Without proof, the text of a row that is left out is empty. */
function writerOf({ filter, format, proof }: ExportRequest): (row: ExportRow) => { text: string; isEvent: boolean } {
  const accepts = filter === null ? () => true : eventFilter(filter);
  return (row) => {
    const body = row.body !== null && accepts(row.body) ? row.body : null;
    const isEvent = body !== null;
    if (proof) {
      const erased = row.erasedAt === null || !isEvent ? null : row.erasedAt.toISOString();
      return { text: eventLine({ ...row, salt: isEvent ? row.salt : null, erased, body }), isEvent };
    }
    if (!isEvent) return { text: '', isEvent };
    return { text: format === 'csv' ? csvRow(row.position, body) : `${body}\n`, isEvent };
  };
}

/** Yields the text of an export after a place, page by page. */
export async function* exportPages(
  connections: Connections,
  orgId: OrgId,
  request: ExportRequest,
  plan: Pick<ExportPlan, 'start' | 'to'>,
): AsyncGenerator<ExportPage> {
  const write = writerOf(request);
  let place = plan.start;
  while (place.position < plan.to) {
    const range = { ...PAGE, after: place.position, upTo: plan.to };
    const rows = await connections.withConnection((connection) => findExportRows(connection, orgId, range, request));
    if (rows.length === 0) throw missing(place.position + 1);
    const texts: string[] = [];
    let events = 0;
    for (const row of rows) {
      if (row.position !== place.position + 1) throw missing(place.position + 1);
      const { isEvent, text } = write(row);
      if (isEvent) events += 1;
      texts.push(text);
      place = { position: row.position, hash: row.hash };
    }
    yield { text: texts.join(''), place, events };
  }
}
