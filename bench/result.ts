import type { CpuUse } from './cpu.ts';

export interface Side {
  readonly name: string;
  readonly values: readonly number[];
  readonly unit: 'per second' | 'us' | 'ms' | 's' | 'MB';
  /** The CPU time per request, from the round with the median CPU time. */
  readonly cpu?: CpuUse;
}

export interface Result {
  readonly work: string;
  readonly gatehouse: Side;
  /** The side with which `gatehouse` is compared. */
  readonly beside: Side | null;
  /** This is null if the result is shown only for comparison. */
  readonly target: Target | null;
  readonly note?: string;
}

export interface Target {
  /**
   * The bound of the ratio if `beside` is not null and `isOfValue` is not set, and otherwise the bound of the value.
   */
  readonly bound: number;
  readonly isOfValue?: true;
  /** A bound for the ratio. The target is also met if the ratio is within this bound. */
  readonly orRatio?: number;
  readonly atLeast: boolean;
}

/** The machine's load averages over one minute, before and after the row. */
export interface MachineLoad {
  readonly before: number;
  readonly after: number;
}

export interface RowReport {
  readonly row: string;
  readonly size: string;
  readonly node: string;
  readonly takenAt: string;
  readonly load: MachineLoad;
  readonly settings: string;
  readonly results: readonly Result[];
}

export const middle = (values: readonly number[]): number => {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
};

export const ratioOf = ({ beside, gatehouse }: Result): number | null =>
  beside === null ? null : middle(gatehouse.values) / middle(beside.values);

export function isMet(result: Result): boolean | null {
  const { target } = result;
  if (target === null) return null;
  const ratio = target.isOfValue === true ? null : ratioOf(result);
  const value = ratio ?? middle(result.gatehouse.values);
  const isBy = (measured: number, bound: number): boolean => (target.atLeast ? measured >= bound : measured <= bound);
  const besides = ratioOf(result);
  return (
    isBy(value, target.bound) || (target.orRatio !== undefined && besides !== null && isBy(besides, target.orRatio))
  );
}
