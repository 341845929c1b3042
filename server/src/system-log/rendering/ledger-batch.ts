import type { OrgId } from '../../kernel/words/ids.ts';
import { integerArray, textArray, timestampArray, uuidArray } from '../../platform/postgres/index.ts';
import type { InputRow, LockedHead, TakenInput } from '../outbox/input-store.ts';
import { arrayText, type OutboxRow } from '../outbox/outbox-store.ts';
import { INPUT_FORMAT } from '../write/event-input.ts';
import { chainHash } from './digest.ts';
import { InputError } from './event-text.ts';

export interface BatchInput {
  readonly orgId: OrgId;
  readonly head: LockedHead;
  readonly taken: readonly TakenInput[];
  readonly now: Date;
}

/** The rows of a batch as the parameters of the statement that appends them. */
export interface LedgerBatch {
  readonly head: LockedHead;
  readonly persistedAt: Uint8Array;
  readonly uuids: Uint8Array;
  readonly published: Uint8Array;
  readonly eventTypes: Uint8Array;
  readonly severities: Uint8Array;
  readonly actorIds: Uint8Array;
  readonly targetIds: Uint8Array;
  readonly outcomeResults: Uint8Array;
  readonly clientIpAddresses: Uint8Array;
  readonly transactionIds: Uint8Array;
  readonly bodies: Uint8Array;
  /** The search terms of all rows, one after the other. */
  readonly tokens: Uint8Array;
  /** The place in `tokens` at which each row's search terms end, counted from 1. */
  readonly tokenEnds: Uint8Array;
  /** The salts of all rows, one after the other, with 32 bytes each. Digests and hashes have the same form. */
  readonly salts: Uint8Array;
  readonly digests: Uint8Array;
  readonly hashes: Uint8Array;
}

/** This error is thrown for an input of a later release. The input then waits for a process of that release. */
export class UnknownFormatError extends Error {}

type RowRenderer = (waiting: InputRow) => OutboxRow;

type RenderedRow = OutboxRow & { readonly targets: string };

function renderedRow(render: RowRenderer, orgId: OrgId, { format, input, published, uuid }: TakenInput): RenderedRow {
  if (format !== INPUT_FORMAT) throw new UnknownFormatError(`an event of format ${format} waits for a newer version`);
  try {
    const row = render({ orgId, uuid, published, eventType: '', input });
    return { ...row, targets: arrayText(row.targetIds) };
  } catch (error) {
    throw new InputError(`the event ${uuid} cannot be rendered`, { cause: error });
  }
}

function endsOf(rows: readonly OutboxRow[]): Int32Array {
  let end = 0;
  return Int32Array.from(rows, ({ tokens }) => {
    end += tokens.length;
    return end;
  });
}

function joinedTokens(rows: readonly OutboxRow[], ends: Int32Array): Int32Array {
  const all = new Int32Array(ends.at(-1) ?? 0);
  for (const [index, { tokens }] of rows.entries()) all.set(tokens, (ends[index] ?? 0) - tokens.length);
  return all;
}

/**
 * Renders a batch and gives its events their places in the chain. `persistedAt` is the latest of the relay's clock, the
 * event's own time and the `persistedAt` of the previous event, so that it never decreases along the chain.
 */
export function renderBatch(render: RowRenderer, { head, now, orgId, taken }: BatchInput): LedgerBatch {
  const rows = taken.map((waiting) => renderedRow(render, orgId, waiting));
  let { hash, persistedAt, position } = head;
  if (now > persistedAt) persistedAt = now;
  const times: Date[] = [];
  const hashes: Buffer[] = [];
  for (const { digest, published } of rows) {
    position += 1;
    if (published > persistedAt) persistedAt = published;
    hash = chainHash(orgId, position, digest, hash);
    times.push(persistedAt);
    hashes.push(hash);
  }
  const ends = endsOf(rows);
  const texts = (valueOf: (row: OutboxRow) => string | Uint8Array | null): Buffer => textArray(rows.map(valueOf));
  return {
    head: { ...head, position, hash, persistedAt },
    persistedAt: timestampArray(times),
    uuids: uuidArray(rows.map(({ uuid }) => uuid)),
    published: timestampArray(rows.map(({ published }) => published)),
    eventTypes: texts(({ eventType }) => eventType),
    severities: texts(({ severity }) => severity),
    actorIds: texts(({ actorId }) => actorId),
    targetIds: textArray(rows.map(({ targets }) => targets)),
    outcomeResults: texts(({ outcomeResult }) => outcomeResult),
    clientIpAddresses: texts(({ clientIpAddress }) => clientIpAddress),
    transactionIds: texts(({ transactionId }) => transactionId),
    bodies: texts(({ body }) => body),
    tokens: integerArray(joinedTokens(rows, ends)),
    tokenEnds: integerArray(ends),
    salts: Buffer.concat(rows.map(({ salt }) => salt)),
    digests: Buffer.concat(rows.map(({ digest }) => digest)),
    hashes: Buffer.concat(hashes),
  };
}
