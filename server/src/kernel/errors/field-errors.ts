import { type ApiError, invalid } from './errors.ts';
import {
  BLANK,
  mustBeAtMost,
  mustBeOfType,
  mustBeOneOf,
  mustBeWithin,
  mustHaveAtMost,
  TAKEN,
  type ValueType,
} from './problems.ts';

// These functions make the 400 error E0000001 for a single field.

export const required = (field: string): ApiError => invalid(field, BLANK);

export const taken = (field: string): ApiError => invalid(field, TAKEN);

/** Makes the error for a malformed or unknown value of the right type. The contract's text repeats the field's name. */
export const notValid = (field: string): ApiError => invalid(field, `The field ${field} is not valid.`);

export const notOneOf = (field: string, values: readonly string[]): ApiError => invalid(field, mustBeOneOf(values));

export const tooLong = (field: string, maximum: number): ApiError => invalid(field, mustBeAtMost(maximum));

export const tooMany = (field: string, maximum: number, things?: string): ApiError =>
  invalid(field, mustHaveAtMost(maximum, things));

export const outOfRange = (field: string, minimum: number, maximum: number): ApiError =>
  invalid(field, mustBeWithin(minimum, maximum));

export const wrongType = (field: string, type: ValueType): ApiError => invalid(field, mustBeOfType(type));

export const limitReached = (field: string, maximum: number, things: string, owner = 'An org'): ApiError =>
  invalid(field, `${owner} may have at most ${maximum} ${things}.`);

export const unsupportedCharacter = (field: string): ApiError =>
  invalid(field, 'contains a character that is not supported.');

export const repeated = (field: string): ApiError => invalid(field, 'must not be repeated.');
