import { expect, test } from 'vitest';
import { compareSamples } from './compare-samples.ts';

function noise(count: number, seed: number): number[] {
  let state = seed;
  return Array.from({ length: count }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    const even = state / 2_147_483_648;
    return 1 + even + (even > 0.97 ? 20 : 0);
  });
}

test('two sets from one source do not differ, outliers and all', () => {
  for (let seed = 1; seed <= 50; seed += 1) {
    expect(compareSamples(noise(60, seed), noise(60, seed + 1_000)).isDifferent).toBe(false);
  }
});

test('what takes 0.3 of a unit longer differs', () => {
  const slower = noise(240, 3).map((value) => value + 0.3);
  const found = compareSamples(slower, noise(240, 7));
  expect(found.isDifferent).toBe(true);
  expect(found.score).toBeGreaterThan(0);
  expect(found.gap).toBeCloseTo(0.3, 0);
});

test('sets that are all alike do not differ', () => {
  expect(compareSamples([1, 1, 1], [1, 1, 1])).toMatchObject({ gap: 0, score: 0, isDifferent: false });
});
