import { describe, expect, test } from 'vitest';
import { intervalAfter, type PollState, pollVerdict } from './poll-rules.ts';

const NOW = new Date('2026-03-01T12:00:00.000Z');
const at = (seconds: number): Date => new Date(NOW.getTime() + seconds * 1_000);

const state = (changes: Partial<PollState> = {}): PollState => ({
  status: 'PENDING',
  expiresAt: at(600),
  lastPolledAt: null,
  intervalSeconds: 5,
  ...changes,
});

describe('what a client that polls is told', () => {
  test.each<[string, Partial<PollState>, string]>([
    ['the first time', {}, 'pending'],
    ['before its interval is over', { lastPolledAt: at(-4.999) }, 'slowDown'],
    ['when it is over', { lastPolledAt: at(-5) }, 'pending'],
    ['before a longer one is over', { lastPolledAt: at(-9), intervalSeconds: 10 }, 'slowDown'],
    ['an answer at once, however fast it asks', { status: 'APPROVED', lastPolledAt: at(-1) }, 'approved'],
    ['a refusal likewise', { status: 'DENIED', lastPolledAt: at(-1) }, 'denied'],
    ['that it is over, at the instant it is', { expiresAt: at(0), lastPolledAt: at(-1) }, 'expired'],
    ['that an answer came too late to be fetched', { status: 'APPROVED', expiresAt: at(-1) }, 'expired'],
  ])('%s', (_, changes, verdict) => {
    expect(pollVerdict(state(changes), NOW)).toBe(verdict);
  });

  test('by five seconds more each time that it was too fast', () => {
    expect([intervalAfter('slowDown', 5), intervalAfter('slowDown', 10), intervalAfter('pending', 15)]).toEqual([
      10, 15, 15,
    ]);
  });
});
