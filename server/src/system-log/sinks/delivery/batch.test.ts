import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SinkEvent } from '../sink.ts';
import { batchIdOf, firstBatch } from './batch.ts';

const eventOf = (position: number, bytes: number): SinkEvent => ({
  position,
  uuid: `uuid-${position}`,
  published: new Date(0),
  eventType: 'user.lifecycle.create',
  body: 'x'.repeat(bytes),
});

describe('firstBatch', () => {
  test('takes no more events, and no more bytes, than allowed, but always one', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 50 }), { maxLength: 30 }),
        fc.integer({ min: 1, max: 10 }),
        fc.integer({ min: 0, max: 120 }),
        (sizes, maximumEvents, maximumBytes) => {
          const events = sizes.map((size, index) => eventOf(index + 1, size));
          const batch = firstBatch(events, { maximumEvents, maximumBytes });
          const sum = (some: readonly SinkEvent[]) => some.reduce((total, { body }) => total + body.length, 0);
          expect(batch).toEqual(events.slice(0, batch.length));
          expect(batch.length).toBeLessThanOrEqual(maximumEvents);
          expect(batch.length > 1 ? sum(batch) : 0).toBeLessThanOrEqual(maximumBytes);
          const next = events.slice(0, batch.length + 1);
          const isLongest =
            batch.length === events.length || batch.length === maximumEvents || sum(next) > maximumBytes;
          expect(batch.length > 0 && isLongest).toBe(events.length > 0);
        },
      ),
    );
  });

  test('counts bytes, not characters', () => {
    const wide = { ...eventOf(1, 0), body: 'ä'.repeat(10) };
    expect(firstBatch([wide, wide], { maximumEvents: 9, maximumBytes: 39 })).toHaveLength(1);
    expect(firstBatch([wide, wide], { maximumEvents: 9, maximumBytes: 40 })).toHaveLength(2);
  });
});

describe('batchIdOf', () => {
  const at = (...positions: number[]) => positions.map((position) => ({ position }));

  test('is a UUID of version 8, the same for the same', () => {
    const id = batchIdOf('0oa1', at(1, 2, 3));
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(batchIdOf('0oa1', at(1, 2, 3))).toBe(id);
  });

  test('differs for anything else', () => {
    const ids = [
      batchIdOf('0oa1', at(1, 2, 3)),
      batchIdOf('0oa2', at(1, 2, 3)),
      batchIdOf('0oa1', at(1, 3)),
      batchIdOf('0oa1', at(12, 3)),
      batchIdOf('0oa1', at(1, 23)),
      batchIdOf('0oa1', at(123)),
    ];
    expect(new Set(ids).size).toBe(ids.length);
  });
});
