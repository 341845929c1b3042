import { RE2JS } from 're2js';
import { mustBeAtMost, type Problem } from '../kernel/errors/problems.ts';
import { costOfPattern } from './pattern-cost.ts';

const MAXIMUM_LENGTH = 500;
/** The maximum estimated cost of compiling a pattern, in instructions. */
const MAXIMUM_COST = 1_500;
/** The maximum cost, in instructions, of patterns that were stored before `MAXIMUM_COST` existed. */
const MAXIMUM_STORED_COST = 10_000;
/** The maximum size of a compiled program, in the engine's unit. */
const MAXIMUM_PROGRAM_SIZE = 500;

export interface Pattern {
  /** The weight of the pattern in a cache, in instructions. */
  readonly size: number;
  /** Tests whether the pattern matches the whole text, in time linear in the length of the text. */
  matches(text: string): boolean;
}

export type PatternProblem = 'length' | 'size' | 'syntax';

export type CompiledPattern =
  | { readonly ok: true; readonly pattern: Pattern }
  | { readonly ok: false; readonly problem: PatternProblem };

export interface PatternOptions {
  readonly ignoresCase?: boolean;
  /**
   * With this option, there is no length limit, and the cost limit is higher. It is for patterns that were stored
   * before the present limits existed, and for callers with limits of their own.
   */
  readonly isStored?: boolean;
}

/** The messages are shown to the author of the pattern. */
export const PATTERN_PROBLEMS: Readonly<Record<PatternProblem, Problem>> = {
  length: mustBeAtMost(MAXIMUM_LENGTH),
  size: 'is too complex a regular expression.',
  syntax: 'must be a regular expression in RE2 syntax.',
};

/**
 * Compiles an org's regular expression (RE2) if its length, cost and program size are within the limits. No other code
 * may compile such expressions.
 */
export function compilePattern(text: string, options: PatternOptions = {}): CompiledPattern {
  const { ignoresCase = false, isStored = false } = options;
  if (text.length > MAXIMUM_LENGTH && !isStored) return { ok: false, problem: 'length' };
  const cost = costOfPattern(text, ignoresCase);
  if (cost > (isStored ? MAXIMUM_STORED_COST : MAXIMUM_COST)) return { ok: false, problem: 'size' };
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(text, ignoresCase ? RE2JS.CASE_INSENSITIVE : 0);
  } catch {
    return { ok: false, problem: 'syntax' };
  }
  if (compiled.programSize() > MAXIMUM_PROGRAM_SIZE) return { ok: false, problem: 'size' };
  // The engine's `testExact` would keep megabytes of states for each pattern.
  return { ok: true, pattern: { size: Math.ceil(cost), matches: (given) => compiled.matcher(given).matches() } };
}

/** The maximum length, in UTF-16 units, of patterns that are only passed on to browsers. */
const MAXIMUM_FOREIGN_LENGTH = 1_024;

/**
 * Tests whether a string is an ECMAScript regular expression that is not too long. The server never executes the
 * expression.
 */
export function isForeignPattern(text: string): boolean {
  if (text.length > MAXIMUM_FOREIGN_LENGTH) return false;
  try {
    return new RegExp(text) instanceof RegExp;
  } catch {
    return false;
  }
}

const MAXIMUM_EXPRESSION_COST = 5_000;

/** This class compiles the patterns of one expression within a shared cost limit. */
export class PatternCompiler {
  #cost = 0;

  get size(): number {
    return Math.ceil(this.#cost);
  }

  /** Compiles a literal pattern. The maximum length of an expression also limits the length of its patterns. */
  compile(text: string): CompiledPattern {
    const cost = costOfPattern(text, false);
    if (cost > MAXIMUM_COST || this.#cost + cost > MAXIMUM_EXPRESSION_COST) return { ok: false, problem: 'size' };
    this.#cost += cost;
    return compilePattern(text, { isStored: true });
  }
}
