/** Texts of the contract, which do not end with a full stop. */
type ContractProblem =
  | 'The field cannot be left blank'
  | 'An object with this field already exists in the current organization'
  | 'An object with this field already exists in the authorization server';

/** The type requires a full stop, so that all our own messages end in the same way. */
export type Sentence = `${string}.`;

/** A problem with one field, shown after the field's name: a predicate (`must be true or false.`) or a sentence. */
export type Problem = Sentence | ContractProblem;

export const BLANK = 'The field cannot be left blank';
export const TAKEN = 'An object with this field already exists in the current organization';

export type ValueType = 'an array' | 'an object' | 'a number' | 'a string' | 'a whole number' | 'true or false';

export const mustBeOneOf = (values: readonly string[]): Sentence => `must be one of ${values.join(', ')}.`;

export const mustBeAtMost = (maximum: number): Sentence => `must be at most ${maximum} characters.`;

export const mustHaveAtMost = (maximum: number, things = 'entries'): Sentence =>
  maximum === 1 ? 'must have at most one entry.' : `must have at most ${maximum} ${things}.`;

export const mustBeWithin = (minimum: number, maximum: number): Sentence =>
  `must be a whole number from ${minimum} to ${maximum}.`;

export const mustBeOfType = (type: ValueType): Sentence => `must be ${type}.`;
