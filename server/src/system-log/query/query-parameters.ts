import { type CheckedExpression, type FieldTable, parseDateTime, readFilter } from '../../filter/index.ts';
import { type ApiError, apiError } from '../../kernel/errors/errors.ts';
import { notOneOf, outOfRange, repeated } from '../../kernel/errors/field-errors.ts';
import { lengthOf, MAXIMUM_KEYWORD_LENGTH, splitWords } from '../rendering/terms/search-terms.ts';

export const DEFAULT_LIMIT = 100;
export const MAXIMUM_LIMIT = 1_000;
export const MAXIMUM_KEYWORDS = 10;
/** The maximum age of the events that `GET /logs` returns (specification 4.4). */
export const WINDOW_DAYS = 90;
const OLDEST_SINCE_DAYS = 180;
const DEFAULT_RANGE_DAYS = 7;
const DAY_MILLISECONDS = 86_400_000;

export type QueryEntries = readonly (readonly [name: string, value: string])[];

export interface LogQuery {
  /** Polling has no last page. The bounded form reads in order of `published` and has a last page. */
  readonly form: 'polling' | 'bounded';
  readonly order: 'ascending' | 'descending';
  /** The start of the time range. It is ignored if there is a cursor. */
  readonly since: Date;
  /** The exclusive end of the time range. */
  readonly until: Date | null;
  /** Events that were published before this time are not returned. */
  readonly windowStart: Date;
  readonly filter: CheckedExpression | null;
  readonly keywords: readonly string[];
  readonly limit: number;
  readonly after: string | null;
  /** The parameters that a cursor of this query is bound to. */
  readonly cursorScope: QueryEntries;
}

const daysBefore = (instant: Date, days: number): Date => new Date(instant.getTime() - days * DAY_MILLISECONDS);

const UNRECOGNISED_DATE =
  'The date format in your query is not recognized. Please enter dates using ISO8601 string format.';
const NOT_A_DATE = 'must be a valid date-time or empty.';

/** The text and the causes are those of the contract (section 3). */
const invalidDate = (name: string): ApiError =>
  apiError(
    'E0000001',
    { field: `'${name}': ${UNRECOGNISED_DATE}. '${name}': ${NOT_A_DATE}` },
    { causes: [`${name}: ${UNRECOGNISED_DATE}`, `${name}: ${NOT_A_DATE}`] },
  );

const RFC_3339 = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:[Zz]|[+-]\d{2}:\d{2})$/;

function readUntil(text: string): Date {
  const date = RFC_3339.test(text) ? parseDateTime(text) : undefined;
  if (date === undefined) throw invalidDate('until');
  return date;
}

function readSince(text: string, now: Date): Date {
  const date = parseDateTime(text);
  if (date === undefined) throw invalidDate('since');
  const today = new Date(Math.floor(now.getTime() / DAY_MILLISECONDS) * DAY_MILLISECONDS);
  if (date < daysBefore(today, OLDEST_SINCE_DAYS)) {
    const detail = `Invalid parameter: The since parameter is over ${OLDEST_SINCE_DAYS} days prior to the current day.`;
    throw apiError('E0000053', { detail });
  }
  return date;
}

function readLimit(text: string): number {
  if (!/^-?\d{1,12}$/.test(text)) {
    throw apiError('E0000037', { detail: `'limit': cannot convert '${text.slice(0, 100)}' to integer` });
  }
  const limit = Number(text);
  if (limit < 0 || limit > MAXIMUM_LIMIT) throw outOfRange('limit', 0, MAXIMUM_LIMIT);
  return limit;
}

function readOrder(text: string): LogQuery['order'] {
  if (text === 'ASCENDING') return 'ascending';
  if (text === 'DESCENDING') return 'descending';
  throw notOneOf('sortOrder', ['ASCENDING', 'DESCENDING']);
}

function readKeywords(text: string): string[] {
  const words = splitWords(text);
  if (words.some((word) => lengthOf(word) > MAXIMUM_KEYWORD_LENGTH)) {
    throw apiError('E0000001', {
      field:
        `'q': Freeform search cannot contain items longer than ${MAXIMUM_KEYWORD_LENGTH} characters. Please shorten ` +
        'the items in your search or use an advanced filter to query by specific fields.',
    });
  }
  if (words.length > MAXIMUM_KEYWORDS) {
    throw apiError('E0000001', {
      field: `'q': Freeform search cannot contain more than ${MAXIMUM_KEYWORDS} items.`,
    });
  }
  if (words.some((word) => word.includes('\0') || /\p{Surrogate}/u.test(word))) {
    throw apiError('E0000001', { field: "'q': contains a character that is not supported." });
  }
  return words;
}

function only(entries: QueryEntries, name: string): string | undefined {
  const values = entries.filter(([key]) => key === name).map(([, value]) => value);
  if (values.length > 1) throw repeated(name);
  return values[0];
}

/** Reads the query of `GET /api/v1/logs` (specification 4.4). The filter may use only `fields`. */
export function readLogQuery(entries: QueryEntries, now: Date, fields: FieldTable): LogQuery {
  const sinceText = only(entries, 'since');
  const untilText = only(entries, 'until');
  const after = only(entries, 'after') ?? null;
  const filterText = only(entries, 'filter') ?? '';
  const keywordsText = only(entries, 'q') ?? '';
  const until = untilText === undefined ? null : readUntil(untilText);
  if (after !== null && sinceText !== undefined) {
    throw apiError('E0000001', { field: "'after': cannot be used together with 'since'." });
  }
  const since = sinceText === undefined ? daysBefore(until ?? now, DEFAULT_RANGE_DAYS) : readSince(sinceText, now);
  const keywords = readKeywords(keywordsText);
  const filter = filterText.trim() === '' ? null : readFilter(filterText, fields);
  const order = readOrder(only(entries, 'sortOrder') ?? 'ASCENDING');
  const form = until === null && order === 'ascending' ? 'polling' : 'bounded';
  return {
    form,
    order,
    since,
    until,
    windowStart: daysBefore(now, WINDOW_DAYS),
    filter,
    keywords,
    limit: readLimit(only(entries, 'limit') ?? String(DEFAULT_LIMIT)),
    after,
    cursorScope: [
      ['sortOrder', order],
      ['until', until?.toISOString() ?? ''],
      ['filter', filterText.trim()],
      ['q', keywords.join(' ')],
    ],
  };
}
