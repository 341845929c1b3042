import { ApiError, invalid } from '../../kernel/errors.ts';

/** What a client sent as a JSON object; nothing is known of its members yet. */
export type Members = Readonly<Record<string, unknown>>;

export const MAXIMUM_TEXT_LENGTH = 255;

/** Told of one request; who sends more faults than these has seen enough of them. */
const MAXIMUM_CAUSES = 50;
const BLANK = 'The field cannot be left blank';

/** 400 E0000001 that names the place inside the body, as `conditions.people.users`. */
export const refused = (place: string, cause: string): ApiError => invalid(place, `${place}: ${cause}`);

/** Clients print absent members as null: both mean the same. */
export const isAbsent = (value: unknown): value is null | undefined => value === undefined || value === null;

/** For what the contract has and this service can't do yet: it is refused, never stored and then ignored. */
export function refuseUnsupported(members: Members, names: readonly string[], before = ''): void {
  const given = names.find((name) => !isAbsent(members[name]));
  if (given !== undefined) throw refused(before + given, 'This is not supported yet.');
}

/** An object that may be absent. A member beyond `known` is refused: a condition that is ignored widens a rule. */
export function readMembers(place: string, value: unknown, known: readonly string[]): Members {
  if (isAbsent(value)) return {};
  if (typeof value !== 'object' || Array.isArray(value)) throw refused(place, 'must be an object.');
  const members: Members = { ...value };
  const others = Object.keys(members).filter((name) => !known.includes(name));
  refuseUnsupported(members, others, `${place}.`);
  return members;
}

/** Text of 1 to `maximum` characters, without space around it. */
export function readText(place: string, value: unknown, maximum = MAXIMUM_TEXT_LENGTH): string {
  if (isAbsent(value)) throw refused(place, BLANK);
  if (typeof value !== 'string') throw refused(place, 'must be text.');
  const text = value.trim().normalize('NFC');
  if (text === '') throw refused(place, BLANK);
  if (Array.from(text).length > maximum) {
    throw refused(place, `The field must be at most ${maximum} characters in length`);
  }
  return text;
}

/** The same where it may be absent or empty. */
export const readOptionalText = (place: string, value: unknown, maximum: number): string | null =>
  isAbsent(value) || value === '' ? null : readText(place, value, maximum);

/** Texts, each once, in the order given; none where there is no list. */
export function readTexts(place: string, value: unknown, maximum: number): readonly string[] {
  if (isAbsent(value)) return [];
  if (!Array.isArray(value)) throw refused(place, 'must be a list.');
  if (value.length > maximum) throw refused(place, `may hold at most ${maximum} items.`);
  return [...new Set(value.map((item) => readText(place, item)))];
}

/** One of `words`; `otherwise` when absent, or required where that is null. */
export function readChoice<const Word extends string>(
  place: string,
  value: unknown,
  words: readonly Word[],
  otherwise: NoInfer<Word> | null,
): Word {
  const given = isAbsent(value) ? otherwise : value;
  const word = words.find((known) => known === given);
  if (word === undefined) throw refused(place, `must be one of ${words.join(', ')}.`);
  return word;
}

export function readFlag(place: string, value: unknown, otherwise: boolean): boolean {
  if (isAbsent(value)) return otherwise;
  if (typeof value !== 'boolean') throw refused(place, 'must be true or false.');
  return value;
}

/** A whole number within bounds; `otherwise` when absent. */
export function readInteger(
  place: string,
  value: unknown,
  bounds: { readonly minimum: number; readonly maximum: number; readonly otherwise: number },
): number {
  if (isAbsent(value)) return bounds.otherwise;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < bounds.minimum || value > bounds.maximum) {
    throw refused(place, `must be a whole number from ${bounds.minimum} to ${bounds.maximum}.`);
  }
  return value;
}

const MAXIMUM_PRIORITY = 2_147_483_647;

/** A place from 1; null where none is asked for. */
export const readPriority = (value: unknown): number | null =>
  isAbsent(value) ? null : readInteger('priority', value, { minimum: 1, maximum: MAXIMUM_PRIORITY, otherwise: 1 });

/** Runs all readers; throws one 400 with the causes of every one that refused. */
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
  const causes = faults.flatMap((fault) => fault.causes).slice(0, MAXIMUM_CAUSES);
  throw new ApiError('E0000001', first.message, { causes });
}
