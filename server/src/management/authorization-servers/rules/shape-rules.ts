import { ApiError } from '../../../kernel/errors/errors.ts';
import { required, wrongType } from '../../../kernel/errors/field-errors.ts';
import { readLine, readProse } from '../../../kernel/texts/written-text.ts';
import {
  isAbsent,
  MAXIMUM_TEXT_LENGTH,
  type Members,
  readInteger,
  readItems,
  unsupported,
} from '../../../kernel/words/members.ts';

export function refuseUnsupported(members: Members, names: readonly string[]): void {
  const given = names.find((name) => !isAbsent(members[name]));
  if (given !== undefined) throw unsupported(given);
}

function textOf(place: string, value: unknown): string {
  if (isAbsent(value)) throw required(place);
  if (typeof value !== 'string') throw wrongType(place, 'a string');
  return value;
}

export function readText(place: string, value: unknown, maximum = MAXIMUM_TEXT_LENGTH, stored?: string | null): string {
  const text = textOf(place, value).trim();
  if (text === '') throw required(place);
  return readProse(place, text, maximum, stored);
}

export const readName = (value: unknown, stored?: string, maximum = MAXIMUM_TEXT_LENGTH): string =>
  readLine('name', textOf('name', value), maximum, stored);

export const readOptionalText = (
  place: string,
  value: unknown,
  maximum: number,
  stored?: string | null,
): string | null => (isAbsent(value) || value === '' ? null : readText(place, value, maximum, stored));

/** Drops duplicates and keeps the order. An absent list is read as an empty list. */
export function readTexts(place: string, value: unknown, maximum: number): readonly string[] {
  return [...new Set(readItems(place, value, maximum).map((item) => readText(place, item)))];
}

const MAXIMUM_PRIORITY = 2_147_483_647;

export const readPriority = (value: unknown): number | null =>
  isAbsent(value) ? null : readInteger('priority', value, { minimum: 1, maximum: MAXIMUM_PRIORITY, otherwise: 1 });

/** Runs all readers, so that one error can name all faults. */
export function gather<Values extends object>(
  readers: { readonly [Name in keyof Values]: () => Values[Name] },
): Values {
  const faults: ApiError[] = [];
  const values: Partial<Values> = {};
  for (const name of Object.keys(readers) as (keyof Values)[]) {
    try {
      values[name] = readers[name]();
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'E0000001') throw error;
      faults.push(error);
    }
  }
  const [first] = faults;
  if (first === undefined) return values as Values;
  if (faults.length === 1) throw first;
  const causes = faults.flatMap((fault) => fault.causes);
  throw new ApiError('E0000001', first.message, { causes });
}
