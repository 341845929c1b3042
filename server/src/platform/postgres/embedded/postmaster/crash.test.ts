import { describe, expect, test } from 'vitest';
import { afterCrash, type Crash, crashKind } from './crash.ts';
import { lineLevel } from './postmaster.ts';

const crash = (atMilliseconds: number, kind: Crash['kind'] = 'other'): Crash => ({ atMilliseconds, kind });

describe('crashKind', () => {
  test.each([
    ['[7] PANIC:  could not fsync file "base/5/1259": Input/output error', 'unsafeStorage'],
    ['[7] PANIC:  could not fdatasync file "000000010000000000000001": No space left on device', 'unsafeStorage'],
    ['[7] PANIC:  could not write to file "pg_wal/xlogtemp.7": No space left on device', 'diskFull'],
    ['[7] FATAL:  pre-existing shared memory block (key 1, ID 2) is still in use', 'memoryInUse'],
    ['[7] LOG:  incorrect resource manager data checksum in record at 0/1B80CE8', 'other'],
    ['[7] LOG:  could not fsync file "x": Input/output error', 'other'],
    ['', 'other'],
  ])('%s', (line, kind) => {
    expect(crashKind(['[1] LOG:  listening', line, '[9] LOG:  terminating'])).toBe(kind);
  });
});

describe('afterCrash', () => {
  test('restarts at once, then backs off, then gives up after five within a minute', () => {
    const crashes = [0, 1000, 2000, 3000, 4000, 5000].map((at) => crash(at));
    const verdicts = crashes.map((_, index) => afterCrash(crashes.slice(0, index + 1)));
    expect(verdicts.slice(0, 5)).toEqual(
      [0, 100, 200, 400, 800].map((afterMilliseconds) => ({ action: 'restart', afterMilliseconds })),
    );
    expect(verdicts[5]).toMatchObject({ action: 'giveUp', reason: expect.stringContaining('6 times') });
  });

  test('forgets crashes of more than a minute ago', () => {
    const crashes = [0, 1, 2, 3, 4].map((at) => crash(at)).concat(crash(61_000));
    expect(afterCrash(crashes)).toEqual({ action: 'restart', afterMilliseconds: 0 });
  });

  test('gives up at the first failed fsync', () => {
    expect(afterCrash([crash(0, 'unsafeStorage')])).toMatchObject({ action: 'giveUp' });
  });

  test.each(['diskFull', 'memoryInUse'] as const)('never gives up on %s', (kind) => {
    const crashes = Array.from({ length: 90 }, (_, index) => crash(index * 100, kind));
    expect(afterCrash(crashes)).toMatchObject({ action: 'restart' });
  });
});

describe('lineLevel', () => {
  test.each([
    ['[1] LOG:  listening', 'debug'],
    ['[1] WARNING:  page verification failed, calculated checksum 1 but expected 2', 'error'],
    ['[1] WARNING:  there is no transaction in progress', 'warn'],
    ['[1] FATAL:  terminating connection due to administrator command', 'warn'],
    ['[1] PANIC:  could not write', 'error'],
    ['[1] ERROR:  invalid page in block 3 of relation base/5/1', 'error'],
    ['[1] ERROR:  invalid input syntax for type integer: "a secret"', null],
  ])('%s', (line, level) => {
    expect(lineLevel(line)).toBe(level);
  });
});
