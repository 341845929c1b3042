import { describe, expect, test } from 'vitest';
import { followClock, type RetentionClock, windowEnd } from './retention-clock.ts';

const at = (text: string): Date => new Date(`${text}Z`);
const steady: RetentionClock = { seenAt: at('2026-11-20T12:00:00'), trustedFrom: at('2026-01-01T00:00:00') };

describe('the time by which events are dropped', () => {
  test('is the earlier one of the two clocks', () => {
    const [early, late] = [at('2026-11-20T12:55:00'), at('2026-11-20T13:00:00')];
    expect(followClock(steady, early, late).now).toEqual(early);
    expect(followClock(steady, late, early).now).toEqual(early);
  });

  test('is none where nothing was noted before, until a day later', () => {
    const first = followClock(null, at('2026-11-20T12:00:00'), at('2026-11-20T12:00:00'));
    expect(first).toEqual({
      clock: { seenAt: at('2026-11-20T12:00:00'), trustedFrom: at('2026-11-21T12:00:00') },
      now: null,
      isStep: false,
    });
    const later = at('2026-11-21T12:00:00');
    expect(followClock(first.clock, later, later).now).toEqual(later);
  });

  test.each(['2038-01-19T03:14:07', '2026-11-21T12:00:01', '2026-11-19T11:59:59', '1970-01-01T00:00:00'])(
    'is none for a day after both clocks stepped to %s',
    (stepped) => {
      const { clock, now } = followClock(steady, at(stepped), at(stepped));
      expect(now).toBeNull();
      const hourLater = new Date(at(stepped).getTime() + 3_600_000);
      expect(followClock(clock, hourLater, hourLater).now).toBeNull();
      const dayLater = new Date(at(stepped).getTime() + 86_400_000);
      expect(followClock(clock, dayLater, dayLater).now).toEqual(dayLater);
    },
  );

  test('is none for a day after a wrong clock was set right', () => {
    const wrong = followClock(steady, at('2038-01-19T03:14:07'), at('2038-01-19T03:14:07'));
    const right = followClock(wrong.clock, at('2026-11-20T13:00:00'), at('2026-11-20T13:00:00'));
    expect(right.now).toBeNull();
    expect(right.clock.trustedFrom).toEqual(at('2026-11-21T13:00:00'));
  });

  test('goes on through an hour forward and an hour back', () => {
    for (const text of ['2026-11-20T13:00:00', '2026-11-20T11:00:00']) {
      expect(followClock(steady, at(text), at(text)).now).toEqual(at(text));
    }
  });
});

test('a window ends a day late: a clock that is ahead by less than a day drops nothing of its window', () => {
  const truth = at('2026-11-20T12:00:00');
  const ahead = new Date(truth.getTime() + 23 * 3_600_000);
  const window = new Date(truth.getTime() - 90 * 86_400_000);
  expect(windowEnd(ahead, 90).getTime()).toBeLessThan(window.getTime());
});
