export interface Spread {
  readonly median: number;
  /** The 10th percentile. */
  readonly lower: number;
  /** The 90th percentile. */
  readonly upper: number;
}

export interface Comparison {
  readonly one: Spread;
  readonly other: Spread;
  readonly gap: number;
  /**
   * The deviation of the first samples' rank sum from its expected value (Mann-Whitney test), in standard deviations.
   */
  readonly score: number;
  readonly isDifferent: boolean;
}

/** Chance alone leads to a higher score, in either direction, less than once in a million comparisons. */
const LIMIT_SCORE = 5;

function spreadOf(samples: readonly number[]): Spread {
  const sorted = samples.toSorted((one, other) => one - other);
  const at = (share: number): number => sorted[Math.round((sorted.length - 1) * share)] ?? 0;
  return { median: at(0.5), lower: at(0.1), upper: at(0.9) };
}

function rankScore(ones: readonly number[], others: readonly number[]): number {
  const all = [...ones.map((value) => ({ value, isOne: true })), ...others.map((value) => ({ value, isOne: false }))];
  all.sort((left, right) => left.value - right.value);
  let sum = 0;
  for (let start = 0; start < all.length; ) {
    let end = start;
    while (end < all.length && all[end]?.value === all[start]?.value) end += 1;
    const rank = (start + 1 + end) / 2;
    sum += rank * all.slice(start, end).filter(({ isOne }) => isOne).length;
    start = end;
  }
  const expected = (ones.length * (all.length + 1)) / 2;
  const deviation = Math.sqrt((ones.length * others.length * (all.length + 1)) / 12);
  return deviation === 0 ? 0 : (sum - expected) / deviation;
}

/** Compares two sets of times by ranks, because times on a busy machine have outliers. */
export function compareSamples(ones: readonly number[], others: readonly number[]): Comparison {
  const [one, other] = [spreadOf(ones), spreadOf(others)];
  const score = rankScore(ones, others);
  return { one, other, gap: one.median - other.median, score, isDifferent: Math.abs(score) > LIMIT_SCORE };
}
