import type { OrgId } from '../../kernel/words/ids.ts';
import type { LedgerRow } from '../ledger/ledger-pages-store.ts';
import { segmentTerms } from '../ledger/segments/postings/segment-terms.ts';
import type { ChainPlace } from '../relay/ledger-store.ts';
import { bodyDigest, chainHash } from '../rendering/digest.ts';
import { searchTermsOf } from '../rendering/terms/search-terms.ts';
import type { JsonObject } from '../write/event.ts';

/**
 * `altered` means that an event, the head or a line of a file is not what was written. `missing` means that there is no
 * event at the position. `added` means that the chain does not contain the event. `reordered` means that an event does
 * not belong at its position. `cut` means that the log or file ends too early. `forked` means that a checkpoint names
 * another event. `forged` means that an anchor or a checkpoint in the log is invalid.
 */
export type FaultKind = 'altered' | 'missing' | 'added' | 'reordered' | 'cut' | 'forked' | 'forged';

export interface VerifyFault {
  readonly position: number;
  readonly kind: FaultKind;
  readonly uuid: string | null;
  readonly detail: string;
}

export interface ChainLink extends ChainPlace {
  readonly digest: Buffer;
}

const continues = (orgId: string, position: number, link: ChainLink, previous: Buffer): boolean =>
  chainHash(orgId, position, link.digest, previous).equals(link.hash);

/**
 * The following link (`nextLink`) shows what happened at a break. If the digest was not stored but computed
 * (`isDigestComputed`), a replaced body is a break too, and two replaced bodies in a row hide what happened.
 */
export async function placeFault(
  orgId: string,
  link: ChainLink,
  previous: ChainPlace,
  nextLink: () => Promise<ChainLink | null>,
  isDigestComputed = false,
): Promise<{ readonly position: number; readonly kind: FaultKind; readonly detail: string } | null> {
  const position = previous.position + 1;
  if (link.position > position) return { position, kind: 'missing', detail: `the next event is at ${link.position}` };
  if (link.position < position) {
    return { position: link.position, kind: 'added', detail: 'there are two events at that position' };
  }
  const expected = chainHash(orgId, position, link.digest, previous.hash);
  if (expected.equals(link.hash)) return null;
  const next = await nextLink();
  if (next !== null && continues(orgId, position + 1, next, expected)) {
    return { position, kind: 'altered', detail: 'its hash is not the one that the chain goes on with' };
  }
  if (next !== null && continues(orgId, position + 1, next, link.hash)) {
    return { position, kind: 'altered', detail: 'its body was replaced together with its digest' };
  }
  if (next !== null && continues(orgId, position, next, previous.hash)) {
    return continues(orgId, position + 1, link, next.hash)
      ? { position, kind: 'reordered', detail: `it belongs at position ${position + 1}` }
      : { position, kind: 'added', detail: `the event that belongs here is at ${next.position}` };
  }
  return isDigestComputed
    ? { position, kind: 'altered', detail: 'its body, salt or hash was replaced' }
    : { position, kind: 'reordered', detail: 'the event does not continue the chain' };
}

type JsonRecord = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is JsonRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const part = (value: unknown, name: string): unknown =>
  isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;

function targetIdsOf(event: JsonObject): unknown[] {
  const targets: unknown = event['target'];
  return Array.isArray(targets) ? [...new Set(targets.map((target) => part(target, 'id')))] : [];
}

const isSameList = (left: readonly unknown[], right: readonly unknown[]): boolean =>
  left.length === right.length && left.every((value, index) => value === right[index]);

/** Returns the search terms that must be stored for an event. */
function storedTerms(orgId: OrgId, { actorId, eventType, sealed }: LedgerRow, event: JsonObject): readonly number[] {
  const tokens = searchTermsOf(orgId, event);
  if (sealed === null) return tokens;
  return [...segmentTerms(orgId, { actorId, eventType, tokens: Int32Array.from(tokens) })];
}

/** The columns that repeat parts of the body, each with a check against the body. */
const COLUMNS: readonly (readonly [
  name: string,
  agrees: (row: LedgerRow, event: JsonObject, orgId: OrgId) => boolean,
])[] = [
  ['uuid', (row, event) => event['uuid'] === row.uuid],
  ['published', (row, event) => event['published'] === row.published.toISOString()],
  ['event_type', (row, event) => event['eventType'] === row.eventType],
  ['severity', (row, event) => event['severity'] === row.severity],
  ['actor_id', (row, event) => part(event['actor'], 'id') === row.actorId],
  ['target_ids', (row, event) => isSameList(targetIdsOf(event), row.targetIds)],
  ['outcome_result', (row, event) => (part(event['outcome'], 'result') ?? null) === row.outcomeResult],
  ['client_ip_address', (row, event) => (part(event['client'], 'ipAddress') ?? null) === row.clientIpAddress],
  ['transaction_id', (row, event) => part(event['transaction'], 'id') === row.transactionId],
  ['tokens', (row, event, orgId) => `{${storedTerms(orgId, row, event).join(',')}}` === row.tokens],
];

function parsedEvent(body: string): JsonObject | null {
  try {
    const event: unknown = JSON.parse(body);
    return isRecord(event) ? (event as JsonObject) : null;
  } catch {
    return null;
  }
}

/** Returns the name of the first column that disagrees with the body, or `body` if the body is not a JSON object. */
export function strangeColumn(orgId: OrgId, row: LedgerRow): string | null {
  const event = parsedEvent(row.body);
  if (event === null) return 'body';
  return COLUMNS.find(([, agrees]) => !agrees(row, event, orgId))?.[0] ?? null;
}

/** Checks the content, columns and persistence time of a single row. */
export function contentFault(orgId: OrgId, row: LedgerRow, persistedBefore: Date | null): string | null {
  if (persistedBefore !== null && row.persistedAt < persistedBefore) {
    return 'the column persisted_at is earlier than that of the event before';
  }
  if (row.salt === null) return row.erasedAt === null ? 'the salt is gone, but not by erasure' : null;
  if (row.erasedAt !== null) return 'it is marked as erased, but its content is there';
  if (!bodyDigest(row.salt, row.body).equals(row.digest)) return 'the body does not match its digest';
  if (row.persistedAt < row.published) return 'the column persisted_at is earlier than the event';
  const column = strangeColumn(orgId, row);
  return column === null ? null : `the column ${column} does not say what the body says`;
}

/** Checks what the event's segment says about itself and about the event before it. */
export function segmentFault({ sealed }: LedgerRow, previousHash: Buffer): string | null {
  if (sealed === null) return null;
  if (!sealed.isAsStored) return 'the columns of its segment do not say what the segment says';
  if (sealed.previousHash?.equals(previousHash) === false) return 'its segment continues another chain';
  return null;
}
