import { describe, expect, test } from 'vitest';
import { createBackpressure } from './backpressure.ts';

const bounds = { events: 1_000, seconds: 60 };

describe('back-pressure', () => {
  test.each([
    [0, 0, 'none'],
    [999, 59.9, 'none'],
    [1_000, 0, 'administrative'],
    [0, 60, 'administrative'],
    [4_999, 299, 'administrative'],
    [5_000, 0, 'everything'],
    [0, 300, 'everything'],
  ])('with %i events waiting for %d s is %s', (events, seconds, level) => {
    const backpressure = createBackpressure({ bounds });
    backpressure.observe({ events, seconds });
    expect(backpressure.level()).toBe(level);
  });

  test('stays until half of where it began, and says each change once', () => {
    const changes: string[] = [];
    const backpressure = createBackpressure({ bounds, onChange: (level) => changes.push(level) });
    const levels = [1_000, 1_200, 999, 500, 499, 1_000, 5_000, 2_500, 2_499, 1_000, 499].map((events) => {
      backpressure.observe({ events, seconds: 0 });
      return backpressure.level();
    });
    expect(levels).toEqual([
      'administrative',
      'administrative',
      'administrative',
      'administrative',
      'none',
      'administrative',
      'everything',
      'everything',
      'administrative',
      'administrative',
      'none',
    ]);
    expect(changes).toEqual(['administrative', 'none', 'administrative', 'everything', 'administrative', 'none']);
  });

  test('goes down one level at a time where what waits is still above half of the lower one', () => {
    const backpressure = createBackpressure({ bounds });
    backpressure.observe({ events: 5_000, seconds: 0 });
    backpressure.observe({ events: 900, seconds: 0 });
    expect(backpressure.level()).toBe('administrative');
  });

  test('ends only when neither the number nor the age is too high', () => {
    const backpressure = createBackpressure({ bounds });
    backpressure.observe({ events: 1_000, seconds: 60 });
    backpressure.observe({ events: 0, seconds: 45 });
    expect(backpressure.level()).toBe('administrative');
    backpressure.observe({ events: 0, seconds: 0 });
    expect(backpressure.level()).toBe('none');
  });
});
