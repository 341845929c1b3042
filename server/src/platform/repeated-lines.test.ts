import { expect, it } from 'vitest';
import { createRepeatedLines, kindOfLine } from './repeated-lines.ts';

it('lines that differ in numbers alone are told once in ten seconds, others each time', () => {
  let now = 0;
  const lines = createRepeatedLines(() => now);
  const refusal = (pid: number) =>
    kindOfLine(`10:00:0${pid} [${pid}] FATAL:  the database system is not yet accepting connections`);
  expect([1, 2, 3].map((pid) => lines.isRepeated(refusal(pid)))).toEqual([false, true, true]);
  expect(lines.isRepeated(kindOfLine('10:00:04 [4] FATAL:  the database system is shutting down'))).toBe(false);
  now = 9_999;
  expect(lines.isRepeated(refusal(4))).toBe(true);
  now = 10_000;
  expect(lines.isRepeated(refusal(5))).toBe(false);
});

it('however many kinds of lines there are, few are remembered', () => {
  const lines = createRepeatedLines(() => 0);
  const kinds = Array.from({ length: 1_000 }, (_, kind) => 'x'.repeat((kind % 199) + 1) + 'y'.repeat(kind % 7));
  for (const kind of kinds) lines.isRepeated(kind);
  expect(lines.isRepeated('another one')).toBe(false);
  expect(lines.isRepeated('another one')).toBe(true);
});
