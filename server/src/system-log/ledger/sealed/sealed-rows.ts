import { bodyDigest } from '../../rendering/digest.ts';
import { DamagedSegmentError } from '../segments/bytes.ts';
import type { SealedEvent } from './sealed-range.ts';

// The columns of a sealed event follow from its text, except for those of an erased event, which are gone.

type JsonRecord = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is JsonRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const textAt = (value: unknown, name: string): string | null => {
  const found = isRecord(value) && Object.hasOwn(value, name) ? value[name] : null;
  return typeof found === 'string' ? found : null;
};

/** Returns the columns of a row that repeat parts of its text. */
export interface SealedColumns {
  readonly uuid: string;
  readonly actorId: string;
  readonly targetIds: readonly string[];
  readonly clientIpAddress: string | null;
  readonly transactionId: string;
}

function parsed(body: string): JsonRecord {
  try {
    const event: unknown = JSON.parse(body);
    if (isRecord(event)) return event;
  } catch {
    // The error below names the fault.
  }
  throw new DamagedSegmentError('a body is not a JSON object');
}

function targetIdsOf(targets: unknown): string[] {
  const ids = Array.isArray(targets) ? targets.map((target: unknown) => textAt(target, 'id')) : [];
  return [...new Set(ids.filter((id) => id !== null))];
}

export function sealedColumns({ kept }: Pick<SealedEvent, 'kept'>, body: string): SealedColumns {
  const event = parsed(body);
  return {
    uuid: kept?.uuid ?? textAt(event, 'uuid') ?? '',
    actorId: textAt(event['actor'], 'id') ?? '',
    targetIds: targetIdsOf(event['target']),
    clientIpAddress: textAt(event['client'], 'ipAddress'),
    transactionId: textAt(event['transaction'], 'id') ?? '',
  };
}

export const dateOf = (microseconds: number): Date => new Date(Math.floor(microseconds / 1_000));

export function digestOf({ kept, salt }: Pick<SealedEvent, 'kept' | 'salt'>, body: string): Buffer {
  if (kept !== null) return kept.digest;
  if (salt === null) throw new DamagedSegmentError('the salt and the digest of an event are missing');
  return bodyDigest(salt, body);
}

export const erasedAtOf = ({ kept }: SealedEvent): Date | null =>
  kept === null || kept.erasedAt === null ? null : dateOf(kept.erasedAt);
