export const EXCEPTIONS: readonly (readonly [path: string, seconds: number, reason: string])[];
export function budgetOf(path: string): number;
export function overBudget(seconds: ReadonlyMap<string, number>): readonly string[];
