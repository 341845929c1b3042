import { expect, test } from 'vitest';
import { encodedSegment, SegmentConnection } from '../../../../test/support/stored-segments.ts';
import { toOrgId } from '../../../kernel/words/ids.ts';
import { ALL_SEGMENTS } from '../../ledger/sealed/find-sealed.ts';
import { searchSealed } from './sealed-search.ts';

const orgId = toOrgId('00oaaaaaaaaaaaaaaaaa');
const EVENTS = 5_000;
/** Each time takes two bytes. */
const times = Array.from({ length: EVENTS }, (_, index) => ({ published: index, persistedAt: index }));
const SEGMENT = encodedSegment(times);
const wanted = (count: number, after: number) => ({
  orgId,
  order: 'position' as const,
  bounds: { ...ALL_SEGMENTS, after },
  behind: null,
  sieve: { condition: null, accepts: null },
  count,
});

test('a page by position prepares no more of a segment than a page needs', async () => {
  const connection = new SegmentConnection(SEGMENT);
  const rows = await searchSealed(connection, wanted(100, 10));
  expect(rows.map(({ position }) => position)).toEqual(Array.from({ length: 100 }, (_, index) => 11 + index));
  const asked = connection.asked.flat().filter(({ field }) => field === 'published' || field === 'persisted');
  expect(asked.reduce((sum, { length }) => sum + length, 0)).toBe(2 * 1_000 * 2);
});

test('a page by position goes on in the same segment', async () => {
  const rows = await searchSealed(new SegmentConnection(SEGMENT), wanted(EVENTS, 0));
  expect(rows.map(({ position }) => position)).toEqual(times.map((_, index) => index + 1));
});
