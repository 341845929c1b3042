import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openSoakState, partsOf, sumOf } from './soak-state.mjs';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-soak-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const GOOD = { passed: 1, failed: 0, seconds: 7, figures: { rounds: 10 } };
const BAD = { passed: 0, failed: 1, seconds: 3 };

describe('a soak that was stopped', () => {
  test('knows the results of the steps that had finished, good or bad, and no other', () => {
    const state = openSoakState(join(folder, 'new'), 'one');
    state.finish('crash', GOOD);
    state.finish('failover', BAD);
    const again = openSoakState(join(folder, 'new'), 'one');
    expect(['crash', 'failover', 'backup'].map((name) => again.resultOf(name))).toEqual([GOOD, BAD, undefined]);
    again.finish('backup', GOOD);
    expect(openSoakState(join(folder, 'new'), 'one').resultOf('crash')).toEqual(GOOD);
    expect(openSoakState(join(folder, 'new'), 'one').resultOf('backup')).toEqual(GOOD);
  });

  test('starts over for other sources, and when it is told to', () => {
    openSoakState(folder, 'one').finish('crash', GOOD);
    expect(openSoakState(folder, 'two').resultOf('crash')).toBeUndefined();
    const fresh = openSoakState(folder, 'one', { isFresh: true });
    expect(fresh.resultOf('crash')).toBeUndefined();
    fresh.finish('failover', GOOD);
    expect(openSoakState(folder, 'one').resultOf('crash')).toBeUndefined();
    expect(openSoakState(folder, 'one').resultOf('failover')).toEqual(GOOD);
  });

  test('that died while it wrote its notes has the earlier ones', () => {
    const state = openSoakState(folder, 'one');
    const { file } = state;
    state.finish('crash', GOOD);
    writeFileSync(`${file}.new`, readFileSync(file, 'utf8').slice(0, 10));
    expect(openSoakState(folder, 'one').resultOf('crash')).toEqual(GOOD);
    writeFileSync(file, '{');
    expect(openSoakState(folder, 'one').resultOf('crash')).toBeUndefined();
  });
});

describe('the parts of a program', () => {
  const command = ['failover-test.ts', '--built'];

  test('together have all its rounds, each once', () => {
    expect(partsOf({ command, rounds: 25, roundsEach: 10 })).toEqual([
      { name: 'failover-test.ts --built, part 1 of 3', command: [...command, '--rounds', '10', '--first', '0'] },
      { name: 'failover-test.ts --built, part 2 of 3', command: [...command, '--rounds', '10', '--first', '10'] },
      { name: 'failover-test.ts --built, part 3 of 3', command: [...command, '--rounds', '5', '--first', '20'] },
    ]);
  });

  test('are one if it has no rounds', () => {
    expect(partsOf({ command })).toEqual([{ name: 'failover-test.ts --built', command }]);
  });

  test('add up, and the longest time stays the longest', () => {
    const parts = [
      { rounds: 10, faults: 0, longestPauseMilliseconds: 900 },
      { rounds: 10, faults: 1, longestPauseMilliseconds: 7_000 },
      { rounds: 5, faults: 0, longestPauseMilliseconds: 800 },
    ];
    expect(sumOf(parts)).toEqual({ rounds: 25, faults: 1, longestPauseMilliseconds: 7_000 });
    expect(sumOf([])).toEqual({});
  });
});
