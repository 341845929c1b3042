import { expect, test } from 'vitest';
import { checkedLook, isSeen } from './following.ts';
import type { Look, Mark } from './replica-store.ts';

const look = (position: number | null, hash: string | null): Look => ({
  isStandby: true,
  systemIdentifier: '1',
  database: 'gatehouse',
  mayAsk: true,
  timeline: 2,
  replayed: 0,
  position,
  hash,
});

test.each([
  ['the same', look(5, 'aa'), { position: 5, hash: 'aa' }, true, true],
  ['no log', look(null, null), undefined, true, true],
  ['more than the primary', look(6, 'bb'), { position: 5, hash: 'aa' }, true, false],
  ['a log that the primary does not have yet', look(6, 'bb'), undefined, true, false],
  ['no log any more', look(null, null), { position: 5, hash: 'aa' }, true, false],
  ['less than the primary has now', look(5, 'aa'), { position: 6, hash: 'bb' }, false, true],
] as const)('a replica with %s', (_, seen, end, isEarlier, isShown) => {
  expect(isSeen(seen, end, isEarlier)).toBe(isShown);
});

test.each([
  ['another event at a position', look(5, 'ab'), true],
  ['another event, compared with a later end', look(5, 'ab'), false],
  ['less than the primary had before', look(4, '99'), true],
])('a replica with %s has another history', (_, seen, isEarlier) => {
  expect(() => isSeen(seen, { position: 5, hash: 'aa' }, isEarlier)).toThrow(
    expect.objectContaining({ reason: 'diverged' }) as Error,
  );
});

test('a primary that does not tell its cluster has no replicas', () => {
  const mark: Mark = { flushed: 0, timeline: 2, database: 'gatehouse', isAsynchronous: false, ends: {} };
  expect(() => checkedLook(look(5, 'aa'), mark, { host: 'silent.example' })).toThrow(
    expect.objectContaining({ reason: 'silent' }) as Error,
  );
});
