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

// The errors that several areas return for one field: 400 E0000001.

/** The field is absent, or blank where it needs a value. */
export const required = (field: string): ApiError => invalid(field, BLANK);

/** Another object of the org has this value. */
export const taken = (field: string): ApiError => invalid(field, TAKEN);

/** The value has the right type but no meaning. The contract's text repeats the field. */
export const notValid = (field: string): ApiError => invalid(field, `The field ${field} is not valid.`);

export const notOneOf = (field: string, values: readonly string[]): ApiError => invalid(field, mustBeOneOf(values));

export const tooLong = (field: string, maximum: number): ApiError => invalid(field, mustBeAtMost(maximum));

export const tooMany = (field: string, maximum: number, things?: string): ApiError =>
  invalid(field, mustHaveAtMost(maximum, things));

export const outOfRange = (field: string, minimum: number, maximum: number): ApiError =>
  invalid(field, mustBeWithin(minimum, maximum));

export const wrongType = (field: string, type: ValueType): ApiError => invalid(field, mustBeOfType(type));

/** The owner already has the maximum number of these objects. */
export const limitReached = (field: string, maximum: number, things: string, owner = 'An org'): ApiError =>
  invalid(field, `${owner} may have at most ${maximum} ${things}.`);

export const unsupportedCharacter = (field: string): ApiError =>
  invalid(field, 'contains a character that is not supported.');

export const repeated = (field: string): ApiError => invalid(field, 'must not be repeated.');
