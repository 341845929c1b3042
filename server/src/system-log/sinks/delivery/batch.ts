import { createHash } from 'node:crypto';
import type { SinkEvent } from '../sink.ts';

export interface BatchLimits {
  readonly maximumEvents: number;
  /** The maximum total size of the bodies in a batch. A larger event is sent in a separate batch. */
  readonly maximumBytes: number;
}

/** Returns the first events that fit into one batch, and at least one event if there are any. */
export function firstBatch<Event extends SinkEvent>(events: readonly Event[], limits: BatchLimits): readonly Event[] {
  let bytes = 0;
  let count = 0;
  for (const { body } of events) {
    bytes += Buffer.byteLength(body);
    if (count > 0 && (count >= limits.maximumEvents || bytes > limits.maximumBytes)) break;
    count += 1;
  }
  return events.slice(0, count);
}

/** Makes a UUID (version 8, RFC 9562 5.8) that is the same for the same sink and positions. */
export function batchIdOf(sinkId: string, events: readonly Pick<SinkEvent, 'position'>[]): string {
  const hash = createHash('sha256').update(`gatehouse-batch-v1:${sinkId}`);
  for (const { position } of events) hash.update(`:${position}`);
  const bytes = hash.digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
