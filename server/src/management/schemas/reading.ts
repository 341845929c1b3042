/** What is wrong with a definition, one text per fault, as its parts are read. */
export type Problems = string[];

/** One of the words, or the one that is meant where none is given. */
export function readWord<const Word extends string>(
  problems: Problems,
  name: string,
  value: unknown,
  words: readonly Word[],
  standard: Word,
): Word {
  if (value === undefined) return standard;
  const found = words.find((word) => word === value);
  if (found === undefined) problems.push(`${name} must be one of ${words.join(', ')}.`);
  return found ?? standard;
}
