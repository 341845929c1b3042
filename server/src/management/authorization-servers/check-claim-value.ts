import { RE2JS } from 're2js';
import { parseExpression } from '../../expression/index.ts';
import type { CheckClaimValue } from './claim-rules.ts';

/** In the engine's own measure; it bounds what comparing the names of many groups can cost. */
const MAXIMUM_PROGRAM_SIZE = 500;

function regularExpressionFault(text: string): string | null {
  try {
    return RE2JS.compile(text).programSize() > MAXIMUM_PROGRAM_SIZE ? 'The regular expression is too large.' : null;
  } catch {
    return 'This is no regular expression that is understood here (RE2 syntax).';
  }
}

/**
 * Whether a claim's value can be read. What an expression names is not looked up: which attributes there are depends on
 * the app and the user that a token is for (contract section 18 has one that names nothing).
 */
export const checkClaimValue: CheckClaimValue = (filter, value) => {
  if (filter === 'REGEX') return regularExpressionFault(value);
  if (filter !== null) return null;
  const parsed = parseExpression(value);
  return parsed.ok ? null : `${parsed.fault.message} at position ${parsed.fault.at}.`;
};
