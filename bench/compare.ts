import { type Contest, type Duel, type Prepared, sideOf, withArena } from './duel.ts';
import type { Load } from './load.ts';
import { middle, type Side } from './result.ts';
import type { RowOptions } from './row.ts';

// `npm run bench -- --compare REV <row>` measures two builds alternately in one run, and gives a verdict for each kind
// of work.

export interface Comparison {
  readonly work: string;
  readonly before: Side;
  readonly after: Side;
  readonly verdict: Verdict;
}

export type Verdict = 'faster' | 'slower' | 'no difference seen';

function shareOfWins(after: readonly number[], before: readonly number[]): number {
  const wins = after.flatMap((mine) => before.map((theirs) => (mine > theirs ? 1 : mine < theirs ? 0 : 0.5)));
  return wins.reduce((sum: number, win) => sum + win, 0) / wins.length;
}

/**
 * A difference counts if one build wins nearly every pair of rounds. With five rounds each, equal builds reach a share
 * of 0.92 of the 25 pairs by chance in 3 % of all comparisons (Mann-Whitney, two-sided).
 */
const CLEAR_SHARE = 0.92;

export function verdictOf(before: readonly number[], after: readonly number[]): Verdict {
  if (shareOfWins(after, before) >= CLEAR_SHARE) return 'faster';
  return shareOfWins(before, after) >= CLEAR_SHARE ? 'slower' : 'no difference seen';
}

/** The side that begins changes from round to round, so that a drift of the machine helps neither. */
async function takeTurns(before: Contest, after: Contest, rounds: number): Promise<Comparison> {
  const loads: { readonly before: Load[]; readonly after: Load[] } = { before: [], after: [] };
  const measure = { before: before.gatehouse, after: after.gatehouse };
  for (let round = 0; round < rounds; round += 1) {
    const order = round % 2 === 0 ? (['before', 'after'] as const) : (['after', 'before'] as const);
    for (const side of order) loads[side].push(await measure[side]());
  }
  const sides = { before: sideOf('before', loads.before), after: sideOf('after', loads.after) };
  return { work: after.work, ...sides, verdict: verdictOf(sides.before.values, sides.after.values) };
}

async function compareAll(before: Prepared, after: Prepared, rounds: number): Promise<Comparison[]> {
  const found: Comparison[] = [];
  for (const [index, contest] of after.contests.entries()) {
    const other = before.contests[index];
    if (other !== undefined) found.push(await takeTurns(other, contest, rounds));
  }
  return found;
}

/** Runs a row with both builds, each with its own installation. Limits and peers are not measured. */
export function compare(duel: Duel, options: RowOptions, buildBefore: string): Promise<readonly Comparison[]> {
  const optionsBefore = { ...options, build: buildBefore };
  return withArena(optionsBefore, async (arenaBefore) =>
    withArena(options, async (arenaAfter) => {
      const before = await duel.prepare(arenaBefore, optionsBefore);
      try {
        const after = await duel.prepare(arenaAfter, options);
        try {
          return await compareAll(before, after, options.sizes.rounds);
        } finally {
          await after.close?.();
        }
      } finally {
        await before.close?.();
      }
    }),
  );
}

export const ratioOfComparison = ({ after, before }: Comparison): number =>
  middle(after.values) / middle(before.values);
