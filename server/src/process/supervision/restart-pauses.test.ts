import { expect, test } from 'vitest';
import { createRestartPauses } from './restart-pauses.ts';

test('pauses grow to ten seconds while a process ends soon, and begin anew once it ran for long', () => {
  const pauses = createRestartPauses();
  const soon = Array.from({ length: 9 }, () => pauses.after(5));
  expect(soon).toEqual([100, 200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000]);
  expect(pauses.after(30_001)).toBe(0);
  expect(pauses.after(5)).toBe(100);
});
