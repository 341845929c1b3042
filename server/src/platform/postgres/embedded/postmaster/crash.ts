export type CrashKind = 'unsafeStorage' | 'diskFull' | 'memoryInUse' | 'other';

export interface Crash {
  /** The time of the crash in milliseconds of a monotonic clock. */
  readonly atMilliseconds: number;
  readonly kind: CrashKind;
}

export type Verdict = { action: 'restart'; afterMilliseconds: number } | { action: 'giveUp'; reason: string };

const WINDOW_MILLISECONDS = 60_000;
const MOST_CRASHES_IN_WINDOW = 5;
const LONGEST_DELAY_MILLISECONDS = 5000;

/** A failed fsync takes precedence, because a restart could build on data that the kernel has lost. */
export function crashKind(lines: readonly string[]): CrashKind {
  const panics = lines.filter((line) => line.includes('PANIC: '));
  if (panics.some((line) => /could not (?:fsync|fdatasync)/.test(line))) return 'unsafeStorage';
  // Only PANIC and FATAL lines count. A LOG line with the same words may be harmless.
  const text = lines.filter((line) => /\b(?:PANIC|FATAL):/.test(line)).join('\n');
  if (/No space left on device|Disk quota exceeded/.test(text)) return 'diskFull';
  if (/pre-existing shared memory block/.test(text)) return 'memoryInUse';
  return 'other';
}

/** Decides what to do after the last of the given crashes, which are ordered from the oldest to the newest. */
export function afterCrash(crashes: readonly Crash[]): Verdict {
  const last = crashes.at(-1);
  if (last === undefined) return { action: 'restart', afterMilliseconds: 0 };
  if (last.kind === 'unsafeStorage') {
    return { action: 'giveUp', reason: 'the storage lost or changed what PostgreSQL wrote. Check the disk first' };
  }
  // Space may become free at any time, and the backends of a dead postmaster end soon.
  if (last.kind === 'diskFull') return { action: 'restart', afterMilliseconds: LONGEST_DELAY_MILLISECONDS };
  if (last.kind === 'memoryInUse') return { action: 'restart', afterMilliseconds: 200 };
  const recent = crashes.filter(
    ({ kind, atMilliseconds }) => kind === 'other' && last.atMilliseconds - atMilliseconds < WINDOW_MILLISECONDS,
  );
  if (recent.length > MOST_CRASHES_IN_WINDOW) {
    return { action: 'giveUp', reason: `it ended ${recent.length} times within ${WINDOW_MILLISECONDS / 1000} seconds` };
  }
  const delay = recent.length === 1 ? 0 : 100 * 2 ** (recent.length - 2);
  return { action: 'restart', afterMilliseconds: Math.min(delay, LONGEST_DELAY_MILLISECONDS) };
}
