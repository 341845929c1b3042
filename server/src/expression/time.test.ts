import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileExpression } from './compile.ts';
import { evaluateExpression } from './evaluate.ts';
import { readPattern, readTime, writeTime } from './functions/time-patterns.ts';
import { isZone, offsetMinutes } from './functions/zones.ts';
import { symbolsOf } from './language/symbols.ts';
import { INSTANT, objectOf, type Value } from './language/types.ts';

const user = objectOf(new Map([['created', { type: INSTANT }]]));
const symbols = symbolsOf(new Map([['user', { type: user }]]), ['time']);
const now = new Date('2015-07-31T17:18:37.979Z');

function valueOf(text: string): Value {
  const compiled = compileExpression(text, symbols);
  if (!compiled.ok) throw new Error(`${text}: ${JSON.stringify(compiled.faults)}`);
  const variables = { user: { created: new Date('2015-07-30T23:58:32.000Z') } };
  const result = evaluateExpression(compiled.program, { variables, now });
  if ('value' in result) return result.value;
  throw new Error(result.exhausted);
}

test.each<[string, Value]>([
  ['Time.now()', '2015-07-31T17:18:37.979Z'],
  ['Time.now("EST")', '2015-07-31T13:18:37.979-04:00'],
  ['Time.now("EST", "YYYY-MM-dd HH:mm:ss")', '2015-07-31 13:18:37'],
  ['Time.now("Asia/Kolkata", "Z ZZ ZZZ")', '+0530 +05:30 Asia/Kolkata'],
  ['Time.now("Asia/Tokyo", "E, d MMM yy h:mm a")', 'Sat, 1 Aug 15 2:18 AM'],
  [`Time.now("UTC", "EEEE d MMMM yyyy 'at' HH 'o''clock' D")`, "Friday 31 July 2015 at 17 o'clock 212"],
  ['Time.fromUnixToIso8601("1438363117")', '2015-07-31T17:18:37.000Z'],
  ['Time.fromWindowsToIso8601("130828367179790000")', '2015-07-31T17:18:37.979Z'],
  ['Time.fromIso8601ToUnix("2015-07-31T17:18:37.979Z")', '1438363117'],
  ['Time.fromIso8601ToWindows("2015-07-31T17:18:37.979Z")', '130828367179790000'],
  ['Time.fromIso8601ToString("2015-07-31T17:18:37.979+02:00", "dd/MM HH:mm Z")', '31/07 17:18 +0200'],
  ['Time.fromStringToIso8601("17 June 2015 00:23:19", "dd MMMM yyyy HH:mm:ss")', '2015-06-17T00:23:19.000Z'],
  ['Time.fromStringToIso8601("20150617", "yyyyMMdd")', '2015-06-17T00:00:00.000Z'],
  ['Time.fromStringToIso8601("6/1/15 12:30 am", "M/d/yy h:mm a")', '2015-06-01T00:30:00.000Z'],
  ['Time.fromStringToIso8601("2015-06-17 09:00 -0700", "yyyy-MM-dd HH:mm Z")', '2015-06-17T09:00:00.000-07:00'],
  ['Time.fromStringToIso8601("2015-02-30", "yyyy-MM-dd")', null],
  ['Time.fromStringToIso8601("2015", "yyyy-MM-dd")', null],
  ['Time.fromStringToIso8601("2024 366", "yyyy DDD")', '2024-12-31T00:00:00.000Z'],
  ['Time.fromStringToIso8601("2023 366", "yyyy DDD")', null],
  ['Time.fromStringToIso8601("2023 0", "yyyy DDD")', null],
  ['Time.fromStringToIso8601("2015-06-17 13 PM", "yyyy-MM-dd hh a")', null],
  ['Time.fromStringToIso8601("2015-06-17 0 PM", "yyyy-MM-dd hh a")', null],
  ['Time.fromStringToIso8601("2015-06-17 12 PM", "yyyy-MM-dd hh a")', '2015-06-17T12:00:00.000Z'],
  ['Time.fromStringToIso8601("2015-06-17 24", "yyyy-MM-dd k")', '2015-06-17T00:00:00.000Z'],
  ['Time.fromStringToIso8601("2015-06-17 25", "yyyy-MM-dd k")', null],
  ['Time.fromStringToIso8601("2015-06-17 12", "yyyy-MM-dd K")', null],
  ['Time.fromStringToIso8601("2023-01-01 Sunday", "yyyy-MM-dd EEEE")', '2023-01-01T00:00:00.000Z'],
  ['Time.fromStringToIso8601("2023-01-01 Friday", "yyyy-MM-dd EEEE")', null],
  ['Time.fromStringToIso8601("2023-01-01 3", "yyyy-MM-dd e")', null],
  ['Time.fromUnixToIso8601("soon")', null],
  ['Time.fromIso8601ToUnix("2015-99-99T00:00:00Z")', null],
  ['Time.fromUnixToIso8601("9999999999999999999")', null],
  [`'130828367179790000'.parseWindowsTime().toString()`, '2015-07-31T17:18:37.979Z'],
  [`'1438377580979'.parseUnixTime().toUnix()`, '1438377580979'],
  [`'2015-06-17T00:23:19.676Z'.parseStringTime().toString()`, '2015-06-17T00:23:19.676Z'],
  ['user.created.toString("MM/dd/yyyy")', '07/30/2015'],
  ['user.created.toWindows()', '130827743120000000'],
  ['DateTime.now().toZone("Asia/Tokyo").toString()', '2015-08-01T02:18:37.979+09:00'],
  ['user.created.plusDays(2).toString()', '2015-08-01T23:58:32.000Z'],
  ['user.created.minusHours(-1).toString()', '2015-07-31T00:58:32.000Z'],
  ['user.created.withinDays(1)', true],
  ['user.created.withinMinutes(2)', false],
  ['user.created < DateTime.now() && user.created != null', true],
  ['user.created.plusDays(99999999999).toString()', null],
])('%s', (text, value) => {
  expect(valueOf(text)).toEqual(value);
});

describe('patterns', () => {
  const instants = fc.date({ min: new Date('1971-01-01'), max: new Date('2069-12-31'), noInvalidDate: true });
  const patterns = [
    'yyyy-MM-dd HH:mm:ss.SSS',
    'd MMM yyyy h:mm:ss.SSS a',
    "yyyyMMdd'T'HHmmssSSS",
    'dd/MM/yyyy k:mm:ss,SSS',
  ];

  test('what is written is read back, in every zone', () => {
    const zones = fc.constantFrom('UTC', '+05:30', '-08:00');
    fc.assert(
      fc.property(instants, zones, fc.constantFrom(...patterns), (instant, zone, pattern) => {
        const pieces = readPattern(`${pattern} ZZ`) ?? [];
        const text = writeTime(pieces, instant.getTime(), zone) ?? '';
        expect(readTime(pieces, text)?.epochMilliseconds, text).toBe(instant.getTime());
      }),
    );
  });

  test('around a change of the clocks', () => {
    const pieces = readPattern('yyyy-MM-dd HH:mm ZZZ') ?? [];
    const berlin = (text: string) =>
      new Date(readTime(pieces, `${text} Europe/Berlin`)?.epochMilliseconds ?? 0).toISOString();
    expect(berlin('2026-03-29 01:59')).toBe('2026-03-29T00:59:00.000Z');
    expect(berlin('2026-03-29 03:00')).toBe('2026-03-29T01:00:00.000Z');
    expect(berlin('2026-10-25 04:00')).toBe('2026-10-25T03:00:00.000Z');
  });

  test.each(['Europe/Paris', 'Etc/GMT+1', 'Etc/GMT-14'])('a time in %s is read as it is written', (zone) => {
    const pieces = readPattern('yyyy-MM-dd HH:mm ZZZ') ?? [];
    const instant = Date.UTC(2026, 4, 6, 7, 8);
    expect(readTime(pieces, writeTime(pieces, instant, zone) ?? '')).toEqual({ epochMilliseconds: instant, zone });
  });

  test.each(['Q', "'open", 'y'.repeat(10), 'x'.repeat(200)])('%s is none', (pattern) => {
    expect(readPattern(pattern)).toBeNull();
  });
});

test('zones', () => {
  expect(['UTC', '+02:00', 'Europe/Paris', 'EST', 'US/Pacific'].every(isZone)).toBe(true);
  expect(['Atlantis', '+25:00', '', 'x'.repeat(100)].some(isZone)).toBe(false);
  expect(offsetMinutes('America/New_York', Date.UTC(2026, 0, 1))).toBe(-300);
  expect(offsetMinutes('America/New_York', Date.UTC(2026, 6, 1))).toBe(-240);
  expect(offsetMinutes('Europe/Paris', Number.NaN)).toBeNull();
});
