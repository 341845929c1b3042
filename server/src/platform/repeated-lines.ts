export interface RepeatedLines {
  /**
   * Tells whether a line of this kind was let through less than 10 s ago. If none was, this one counts as let through.
   */
  isRepeated(kind: string): boolean;
}

const MOMENT_MILLISECONDS = 10_000;
const MAXIMUM_KINDS = 200;
const KIND_CHARACTERS = 200;

/** Returns the kind of a line: its beginning without the numbers. */
export const kindOfLine = (line: string): string =>
  line
    .slice(0, 2 * KIND_CHARACTERS)
    .replace(/\d+/g, '#')
    .slice(0, KIND_CHARACTERS);

/** Creates a filter for log lines that a fault writes again and again. */
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
