import { mustBeOneOf } from '../../kernel/errors/problems.ts';
export type Problems = string[];

export function readWord<const Word extends string>(
  problems: Problems,
  name: string,
  value: unknown,
  words: readonly Word[],
  standard: Word,
): Word {
  if (value === undefined) return standard;
  const found = words.find((word) => word === value);
  if (found === undefined) problems.push(`${name} ${mustBeOneOf(words)}`);
  return found ?? standard;
}
