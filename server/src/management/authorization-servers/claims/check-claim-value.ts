import { attributeSight, hiddenInExpression, type Looker } from '../../../access/index.ts';
import { compilePattern, type PatternProblem, parseExpression } from '../../../expression/index.ts';
import type { CheckClaimValue } from './claim-rules.ts';

const PROBLEMS: Readonly<Record<PatternProblem, string>> = {
  length: 'The regular expression must have at most 500 characters.',
  size: 'The regular expression is too large.',
  syntax: 'This is no regular expression that is understood here (RE2 syntax).',
};

function regularExpressionFault(text: string): string | null {
  const made = compilePattern(text);
  return made.ok ? null : PROBLEMS[made.problem];
}

/**
 * Whether a claim's value can be read. What an expression names is not looked up: which attributes there are depends on
 * the app and the user that a token is for (contract section 18 has one that names nothing). But nobody has a token
 * tell what his roles do not show him.
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
