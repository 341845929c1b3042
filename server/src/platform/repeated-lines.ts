export interface RepeatedLines {
  /** Tells whether a line of this kind was let through a moment ago. */
  isRepeated(kind: string): boolean;
}

/** The time during which one line represents similar ones. */
const MOMENT_MILLISECONDS = 10_000;
/** More kinds of lines than a fault writes. */
const MAXIMUM_KINDS = 200;
/** The rest of a long line contains nothing new. */
const KIND_CHARACTERS = 200;

/** Lines that differ only in numbers are of one kind: times, processes, files of tables. */
export const kindOfLine = (line: string): string =>
  line
    .slice(0, 2 * KIND_CHARACTERS)
    .replace(/\d+/g, '#')
    .slice(0, KIND_CHARACTERS);

/** Distinguishes log lines that a fault writes again and again from those with new information. */
export function createRepeatedLines(now: () => number = () => performance.now()): RepeatedLines {
  const passedAt = new Map<string, number>();
  return {
    isRepeated(kind) {
      const at = now();
      const before = passedAt.get(kind);
      if (before !== undefined && at - before < MOMENT_MILLISECONDS) return true;
      if (passedAt.size >= MAXIMUM_KINDS) passedAt.clear();
      passedAt.set(kind, at);
      return false;
    },
  };
}
