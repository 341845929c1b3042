import { isDeepStrictEqual } from 'node:util';
import type { Json, Target } from '../../system-log/index.ts';

/**
 * What of a policy or rule is told in `target[].changeDetails`: its wire object's members that differ. Null when none
 * does.
 */
export function changeDetailsOf(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): NonNullable<Target['changeDetails']> | null {
  const told = ['name', 'description', 'priority', 'status', 'conditions', 'actions'];
  const changed = told.filter((name) => !isDeepStrictEqual(before[name], after[name]));
  if (changed.length === 0) return null;
  const pick = (wire: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(changed.map((name) => [name, (wire[name] ?? null) as Json]));
  return { from: pick(before), to: pick(after) };
}
