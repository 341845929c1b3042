import { attributeSight, hiddenInExpression, type Looker } from '../../../access/index.ts';
import { compilePattern, type PatternProblem, parseExpression } from '../../../expression/index.ts';
import { mustBeAtMost, type Problem } from '../../../kernel/errors/problems.ts';
import type { CheckClaimValue } from './claim-rules.ts';

const PROBLEMS: Readonly<Record<PatternProblem, Problem>> = {
  length: mustBeAtMost(500),
  size: 'is too complex a regular expression.',
  syntax: 'must be a regular expression in RE2 syntax.',
};

function regularExpressionFault(text: string): Problem | null {
  const made = compilePattern(text);
  return made.ok ? null : PROBLEMS[made.problem];
}

/**
 * Returns a function that checks a claim's expression or regular expression. An expression may contain unknown names
 * (ADR 0034), but it must not use attributes that its author may not see.
 */
export function claimValueChecker(author: Looker): CheckClaimValue {
  const sight = attributeSight(author);
  return (filter, value) => {
    if (filter === 'REGEX') return regularExpressionFault(value);
    if (filter !== null) return null;
    const parsed = parseExpression(value);
    return parsed.ok ? hiddenInExpression(sight, value) : `${parsed.fault.message} at position ${parsed.fault.at}.`;
  };
}
