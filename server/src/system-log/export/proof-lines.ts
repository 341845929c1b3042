import { HASH_BYTES } from '../proof/statements.ts';

// This module defines the lines of an export with proof (ADR 0019). The event comes last in its line and is unchanged,
// so that its bytes can be hashed without a parser.

/** The first line of an export with proof. It states which events are left out on purpose. */
export interface ProofHeader {
  readonly gatehouseLogExport: 1;
  readonly org: string;
  /** The first and the last position, both inclusive. */
  readonly from: number;
  readonly to: number;
  /** The hash that the first event is chained to, in base64url. */
  readonly previousHash: string;
  readonly filter: string | null;
  readonly since: string | null;
  readonly until: string | null;
  /**
   * The newest checkpoint up to `to` that existed when the export started, as a compact JWS. It is null if there was
   * none, or if the range of positions is empty.
   */
  readonly checkpoint: string | null;
}

export interface ProofLine {
  readonly position: number;
  readonly hash: Buffer;
  readonly digest: Buffer;
  /** This is null if the event was left out or erased. */
  readonly salt: Buffer | null;
  /**
   * The time at which the event's content was erased (RFC 3339). It is null if the event was left out or not erased.
   */
  readonly erased: string | null;
  /** The event as stored. It is null if it was left out. */
  readonly body: string | null;
}

const encoded = (bytes: Buffer): string => bytes.toString('base64url');

export const headerLine = (header: ProofHeader): string => `${JSON.stringify(header)}\n`;

export function eventLine({ body, digest, erased, hash, position, salt }: ProofLine): string {
  const place = `{"position":${position},"hash":"${encoded(hash)}","digest":"${encoded(digest)}"`;
  if (body === null) return `${place}}\n`;
  const proof = salt === null ? '' : `,"salt":"${encoded(salt)}"`;
  const gone = erased === null ? '' : `,"erased":"${erased}"`;
  return `${place}${proof}${gone},"event":${body}}\n`;
}

const HASH = '([A-Za-z0-9_-]{43})';
const EVENT_LINE = new RegExp(
  `^\\{"position":(\\d{1,15}),"hash":"${HASH}","digest":"${HASH}"(?:,"salt":"${HASH}")?` +
    '(?:,"erased":"([0-9TZ:.-]{20,24})")?(?:,"event":(.+))?\\}$',
  's',
);

export function readEventLine(line: string): ProofLine | null {
  const match = EVENT_LINE.exec(line);
  if (match === null) return null;
  const [, position, hash = '', digest = '', salt, erased, body] = match;
  return {
    position: Number(position),
    hash: Buffer.from(hash, 'base64url'),
    digest: Buffer.from(digest, 'base64url'),
    salt: salt === undefined ? null : Buffer.from(salt, 'base64url'),
    erased: erased ?? null,
    body: body ?? null,
  };
}

const parsed = (line: string): Readonly<Record<string, unknown>> | null => {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
};

const isPosition = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** Returns null if the file does not start like an export with proof. */
export function readHeaderLine(line: string): ProofHeader | null {
  const header = parsed(line);
  if (header?.['gatehouseLogExport'] !== 1) return null;
  const { checkpoint, filter, from, org, previousHash, since, to, until } = header;
  if (typeof org !== 'string' || !isPosition(from) || !isPosition(to) || typeof previousHash !== 'string') return null;
  if (from < 1 || Buffer.from(previousHash, 'base64url').length !== HASH_BYTES) return null;
  return {
    gatehouseLogExport: 1,
    org,
    from,
    to,
    previousHash,
    filter: textOrNull(filter),
    since: textOrNull(since),
    until: textOrNull(until),
    checkpoint: textOrNull(checkpoint),
  };
}
