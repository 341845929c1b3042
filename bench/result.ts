/** The values of one side, one per round. */
export interface Side {
  readonly name: string;
  readonly values: readonly number[];
  readonly unit: 'per second' | 'us' | 'ms' | 's' | 'MB';
}

/** One line of the table in README.md. */
export interface Result {
  readonly work: string;
  readonly gatehouse: Side;
  /** The limit or peer for comparison, or null if the target is an absolute value. */
  readonly beside: Side | null;
  /** Null if the line is shown only for comparison. */
  readonly target: Target | null;
  /** A remark that a reader of this figure needs. */
  readonly note?: string;
}

export interface Target {
  /** The limit for the ratio if the figure has a peer, otherwise for the value. */
  readonly bound: number;
  /** True if the bound applies to the value even though the figure has a peer. */
  readonly isOfValue?: true;
  readonly atLeast: boolean;
}

/** The load averages of the machine over one minute, before and after the measurement. */
export interface MachineLoad {
  readonly before: number;
  readonly after: number;
}

export interface RowReport {
  readonly row: string;
  readonly size: string;
  readonly takenAt: string;
  readonly load: MachineLoad;
  readonly settings: string;
  readonly results: readonly Result[];
}

export const middle = (values: readonly number[]): number => {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
};

/** Returns the product's median divided by the peer's median, or null if there is no peer. */
export const ratioOf = ({ beside, gatehouse }: Result): number | null =>
  beside === null ? null : middle(gatehouse.values) / middle(beside.values);

export function isMet(result: Result): boolean | null {
  const { target } = result;
  if (target === null) return null;
  const ratio = target.isOfValue === true ? null : ratioOf(result);
  const value = ratio ?? middle(result.gatehouse.values);
  return target.atLeast ? value >= target.bound : value <= target.bound;
}
