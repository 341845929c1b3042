import { RE2JS } from 're2js';
import { mustBeAtMost, type Problem } from '../kernel/errors/problems.ts';
import { costOfPattern } from './pattern-cost.ts';

const MAXIMUM_LENGTH = 500;
/** The highest cost of compiling a pattern, as estimated from its text: about a millisecond. */
const MAXIMUM_COST = 1_500;
/** The limit for patterns stored when only the size of the compiled program was limited. */
const MAXIMUM_STORED_COST = 10_000;
/** In the engine's own measure; with the length of texts it bounds what one comparison can cost. */
const MAXIMUM_PROGRAM_SIZE = 500;

/** A regular expression that an org wrote. */
export interface Pattern {
  /** In instructions, about 400 bytes each: what a cache weighs it by. */
  readonly size: number;
  /** Whether it matches the whole of a text, in time linear in the text. */
  matches(text: string): boolean;
}

export type PatternProblem = 'length' | 'size' | 'syntax';

export type CompiledPattern =
  | { readonly ok: true; readonly pattern: Pattern }
  | { readonly ok: false; readonly problem: PatternProblem };

export interface PatternOptions {
  readonly ignoresCase?: boolean;
  /** Patterns stored before length and cost were limited remain valid. */
  readonly isStored?: boolean;
}

/** For the author of the pattern. */
export const PATTERN_PROBLEMS: Readonly<Record<PatternProblem, Problem>> = {
  length: mustBeAtMost(MAXIMUM_LENGTH),
  size: 'is too complex a regular expression.',
  syntax: 'must be a regular expression in RE2 syntax.',
};

/**
 * The only compiler of regular expressions that orgs write (RE2 syntax). Compiling writes counted repetitions out, so
 * length and cost are bounded by the text before, and the program behind it.
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
  // Not `testExact`: that one remembers up to 8 MB of states for each pattern, by what texts it has met.
  return { ok: true, pattern: { size: Math.ceil(cost), matches: (given) => compiled.matcher(given).matches() } };
}

/** It stands for one that is only handed on. */
const MAXIMUM_FOREIGN_LENGTH = 1_024;

/**
 * Whether a text is a regular expression as browsers write them (ECMAScript): for what is handed on and meets no text
 * here. It is only parsed, in time linear in it; with a flag, classes would be made of whole tables of Unicode.
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

/** Compiles the patterns of one expression, which together may cost no more than this. */
export class PatternCompiler {
  #cost = 0;

  /** The combined cost of the patterns. */
  get size(): number {
    return Math.ceil(this.#cost);
  }

  /** Their length is bounded by that of the expression. */
  compile(text: string): CompiledPattern {
    const cost = costOfPattern(text, false);
    if (cost > MAXIMUM_COST || this.#cost + cost > MAXIMUM_EXPRESSION_COST) return { ok: false, problem: 'size' };
    this.#cost += cost;
    return compilePattern(text, { isStored: true });
  }
}
