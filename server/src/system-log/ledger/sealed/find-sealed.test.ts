import { expect, test } from 'vitest';
import { encodedSegment, SegmentConnection } from '../../../../test/support/stored-segments.ts';
import { toOrgId } from '../../../kernel/words/ids.ts';
import type { LogConnection } from '../../relay/connections.ts';
import { MissingSegmentError } from './damage.ts';
import { ALL_SEGMENTS, findFirstSealed, findSealedEnds, findSealedHash, hasSealedBehind } from './find-sealed.ts';

const orgId = toOrgId('00oaaaaaaaaaaaaaaaaa');
const timesFrom = (first: number) =>
  [0, 1, 2].map((index) => ({ published: first + index, persistedAt: first + index }));
const SEGMENTS = [encodedSegment(timesFrom(1_000)), encodedSegment(timesFrom(2_000), 4)];

/** A connection on which retention deletes the first segment before the second statement. */
function duringRetention(): LogConnection {
  const connection = new SegmentConnection(...SEGMENTS);
  let statements = 0;
  return {
    query: (text, values) => {
      statements += 1;
      if (statements === 2) connection.delete(3);
      return connection.query(text, values);
    },
  };
}

test('a look-up whose segment leaves meanwhile starts over', async () => {
  const bounds = { ...ALL_SEGMENTS, publishedFrom: 1_001, persistedFrom: 1_001 };
  expect(await findFirstSealed(duringRetention(), orgId, 0, 1_001)).toEqual({ position: 4, persistedAt: 2_000 });
  expect(await findSealedEnds(duringRetention(), orgId, bounds)).toEqual({ first: 4, last: 6 });
  expect(await hasSealedBehind(duringRetention(), orgId, 1, (type) => type === 'user.session.end')).toBe(false);
});

test('a look-up of one event tells that its segment has left', async () => {
  await expect(findSealedHash(duringRetention(), orgId, 2)).rejects.toThrow(MissingSegmentError);
  expect(await findSealedHash(new SegmentConnection(...SEGMENTS), orgId, 7)).toBeNull();
});

test('the first event of a segment is found without its columns', async () => {
  const connection = new SegmentConnection(...SEGMENTS);
  expect(await findFirstSealed(connection, orgId, 0, 900)).toEqual({ position: 1, persistedAt: 1_000 });
  expect(await findFirstSealed(connection, orgId, 3, 1_500)).toEqual({ position: 4, persistedAt: 2_000 });
  expect(connection.asked).toEqual([]);
  expect(await findFirstSealed(connection, orgId, 0, 1_002)).toEqual({ position: 3, persistedAt: 1_002 });
  expect(await findFirstSealed(connection, orgId, 4, 0)).toEqual({ position: 5, persistedAt: 2_001 });
});
