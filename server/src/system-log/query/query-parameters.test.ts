import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ApiError } from '../../kernel/errors/errors.ts';
import { LOG_FIELDS } from './query-fields.ts';
import { type LogQuery, readLogQuery } from './query-parameters.ts';

const now = new Date('2026-11-20T12:00:00.000Z');
const read = (query: Readonly<Record<string, string>>): LogQuery =>
  readLogQuery(Object.entries(query), now, LOG_FIELDS);

function refusal(query: Readonly<Record<string, string>>): ApiError {
  try {
    read(query);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

test('by default a poll of the last seven days, 100 a page', () => {
  expect(read({})).toMatchObject({
    form: 'polling',
    order: 'ascending',
    since: new Date('2026-11-13T12:00:00.000Z'),
    until: null,
    limit: 100,
    filter: null,
    keywords: [],
    after: null,
  });
});

test.each([
  [{ since: '2026-11-01T00:00:00Z' }, 'polling'],
  [{ sortOrder: 'ASCENDING' }, 'polling'],
  [{ sortOrder: 'DESCENDING' }, 'bounded'],
  [{ until: '2026-11-20T00:00:00Z' }, 'bounded'],
  [{ since: '2026-11-01T00:00:00Z', until: '2026-11-20T00:00:00Z' }, 'bounded'],
])('%j is %s', (query, form) => {
  expect(read(query).form).toBe(form);
});

test.each([
  ['2026-11-01T02:03:04.567Z', '2026-11-01T02:03:04.567Z'],
  ['2026-11-01T02:03:04.567891Z', '2026-11-01T02:03:04.567Z'],
  ['2026-11-01T02:03:04+00:00', '2026-11-01T02:03:04.000Z'],
  ['2026-11-01T02:03:04.123000', '2026-11-01T02:03:04.123Z'],
  ['2026-11-01T04:03:04+02:00', '2026-11-01T02:03:04.000Z'],
  ['2026-11-01', '2026-11-01T00:00:00.000Z'],
])('since %s is %s', (since, instant) => {
  expect(read({ since }).since.toISOString()).toBe(instant);
});

describe('until is strict', () => {
  test.each(['2026-11-01T02:03:04Z', '2026-11-01T02:03:04.567891Z', '2026-11-01t02:03:04+02:00'])(
    '%s is read',
    (until) => {
      expect(read({ until }).until).toBeInstanceOf(Date);
    },
  );

  test.each(['', 'yesterday', '2026-11-01', '2026-11-01T02:03:04', '2026-11-01T02:03Z', '2026-02-30T00:00:00Z', '1'])(
    '%j is refused with the exact text',
    (until) => {
      expect(refusal({ until })).toMatchObject({
        code: 'E0000001',
        status: 400,
        message:
          "Api validation failed: 'until': The date format in your query is not recognized. Please enter dates using " +
          "ISO8601 string format.. 'until': must be a valid date-time or empty.",
        causes: [
          {
            errorSummary:
              'until: The date format in your query is not recognized. Please enter dates using ISO8601 string format.',
          },
          { errorSummary: 'until: must be a valid date-time or empty.' },
        ],
      });
    },
  );
});

test('since of another form is refused likewise', () => {
  expect(refusal({ since: 'last week' })).toMatchObject({ code: 'E0000001', status: 400 });
});

test('since may lie 180 days back, not more', () => {
  expect(read({ since: '2026-05-24T12:00:00Z' }).since).toBeInstanceOf(Date);
  expect(refusal({ since: '2026-05-23T12:00:00Z' })).toMatchObject({
    code: 'E0000053',
    status: 400,
    message: 'Invalid parameter: The since parameter is over 180 days prior to the current day.',
  });
});

describe('q', () => {
  test('is words between blanks', () => {
    expect(read({ q: ' New-York  Ada ' }).keywords).toEqual(['New-York', 'Ada']);
    expect(read({ q: 'ü'.repeat(40) }).keywords).toHaveLength(1);
  });

  test('an item of 41 characters is refused with the exact text', () => {
    expect(refusal({ q: `ok ${'x'.repeat(41)}` })).toMatchObject({
      code: 'E0000001',
      status: 400,
      message:
        "Api validation failed: 'q': Freeform search cannot contain items longer than 40 characters. " +
        'Please shorten the ' +
        'items in your search or use an advanced filter to query by specific fields.',
      causes: [],
    });
  });

  test('an eleventh keyword is refused', () => {
    expect(read({ q: 'a b c d e f g h i j' }).keywords).toHaveLength(10);
    expect(refusal({ q: 'a b c d e f g h i j k' })).toMatchObject({ code: 'E0000001', status: 400 });
  });
});

describe('filter', () => {
  test.each([
    ['published gt "2026-01-01T00:00:00Z"', 'E0000053', 'field is not valid: published'],
    ['some_invalid_field eq "x"', 'E0000053', 'field is not valid: some_invalid_field'],
    ['target.changeDetails.from pr', 'E0000053', 'field is not valid: target.changeDetails.from'],
    ['constructor pr', 'E0000053', 'field is not valid: constructor'],
    [
      'display_message eqq "Create user"',
      'E0000053',
      `Invalid filter 'display_message eqq "Create user"': Unrecognized attribute operator 'eqq' at position 16. ` +
        'Expected: eq,co,sw,pr,gt,ge,lt,le',
    ],
    [
      'debugContext.debugData.url co "x"',
      'E0000031',
      'The supplied combination of operator and field is not currently supported. ' +
        'Operator: co, Field: debugContext.debugData.url',
    ],
    [
      'debugContext.debugData.requestUri co "x"',
      'E0000031',
      'The supplied combination of operator and field is not currently supported. ' +
        'Operator: co, Field: debugContext.debugData.requestUri',
    ],
  ])('%s is refused: %s', (filter, code, message) => {
    expect(refusal({ filter })).toMatchObject({ code, status: 400, message });
  });

  test.each(['debugContext.debugData.url sw "/api"', 'debugContext.debugData.other co "x"', 'actor.id ew "1"'])(
    '%s is read',
    (filter) => {
      expect(read({ filter }).filter).not.toBeNull();
    },
  );
});

describe('limit and the rest', () => {
  test.each([
    ['0', 0],
    ['1000', 1_000],
  ])('limit %s', (limit, expected) => {
    expect(read({ limit }).limit).toBe(expected);
  });

  test.each([
    ['-1', 'E0000001'],
    ['1001', 'E0000001'],
    ['1000000000', 'E0000001'],
    ['abc', 'E0000037'],
    ['1.5', 'E0000037'],
    ['', 'E0000037'],
  ])('limit %j is refused', (limit, code) => {
    expect(refusal({ limit })).toMatchObject({ code, status: 400 });
  });

  test('sortOrder is one of two words', () => {
    expect(refusal({ sortOrder: 'sideways' })).toMatchObject({ code: 'E0000001', status: 400 });
  });

  test('after excludes since', () => {
    expect(refusal({ after: 'x', since: '2026-11-01T00:00:00Z' })).toMatchObject({ code: 'E0000001', status: 400 });
  });

  test('a repeated parameter is refused', () => {
    expect(() =>
      readLogQuery(
        [
          ['limit', '1'],
          ['limit', '2'],
        ],
        now,
        LOG_FIELDS,
      ),
    ).toThrow(ApiError);
  });
});

test('whatever is sent, it is read or refused with 400', () => {
  const names = fc.constantFrom('since', 'until', 'filter', 'q', 'limit', 'sortOrder', 'after');
  fc.assert(
    fc.property(fc.array(fc.tuple(names, fc.string({ unit: 'binary' }))), (entries) => {
      try {
        readLogQuery(entries, now, LOG_FIELDS);
      } catch (error) {
        expect(error).toBeInstanceOf(ApiError);
        expect(error).toMatchObject({ status: 400 });
      }
    }),
  );
});
