import { BOOLEAN, INSTANT, INTEGER, type Instant, isInstant, STRING, type Value } from '../language/types.ts';
import {
  type CallContext,
  type FunctionDefinition,
  functionTable,
  numberOf,
  type Prepared,
  question,
  strict,
  textOf,
} from './functions.ts';
import { readPattern, readTime, writeTime } from './time-patterns.ts';
import { isZone, offsetMinutes, offsetText } from './zones.ts';

/** The milliseconds from 1601, when Windows time starts, to 1970. Windows time counts units of 100 ns. */
const WINDOWS_EPOCH_MILLISECONDS = 11_644_473_600_000;
const ISO = /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,9})?(Z|[+-][0-9]{2}:?[0-9]{2})$/;
const DIGITS = /^-?[0-9]{1,19}$/;

/** Formats an instant as ISO 8601 with milliseconds, in its zone. */
export function isoText({ epochMilliseconds, zone }: Instant): string | null {
  const offset = offsetMinutes(zone, epochMilliseconds);
  const wall = new Date(epochMilliseconds + (offset ?? 0) * 60_000);
  if (offset === null || Number.isNaN(wall.getTime())) return null;
  return offset === 0 ? wall.toISOString() : wall.toISOString().replace('Z', offsetText(offset));
}

const instantAt = (epochMilliseconds: number, zone = 'UTC'): Instant | null =>
  Number.isNaN(new Date(epochMilliseconds).getTime()) ? null : { epochMilliseconds, zone };

function fromIso(text: string): Instant | null {
  const [, offset] = ISO.exec(text) ?? [];
  if (offset === undefined) return null;
  return instantAt(Date.parse(text), offset === 'Z' ? 'UTC' : offset);
}

const fromUnix = (text: string): Instant | null => (DIGITS.test(text) ? instantAt(Number(text)) : null);

/** Reads Unix time in seconds, unlike `fromUnix`, which reads milliseconds. */
const fromUnixSeconds = (text: string): Instant | null => (DIGITS.test(text) ? instantAt(Number(text) * 1_000) : null);

const fromWindows = (text: string): Instant | null =>
  DIGITS.test(text) ? instantAt(Number(BigInt(text) / 10_000n) - WINDOWS_EPOCH_MILLISECONDS) : null;

const toWindows = ({ epochMilliseconds }: Instant): string =>
  String(BigInt(Math.trunc(epochMilliseconds) + WINDOWS_EPOCH_MILLISECONDS) * 10_000n);

function fromPattern(text: string, pattern: string): Instant | null {
  const pieces = readPattern(pattern);
  return pieces === null ? null : readTime(pieces, text);
}

function byPattern({ epochMilliseconds, zone }: Instant, pattern: string): string | null {
  const pieces = readPattern(pattern);
  return pieces === null ? null : writeTime(pieces, epochMilliseconds, zone);
}

/** Makes a `prepare` function that refuses invalid literal zones and patterns. */
const literals =
  (zoneAt: number | null, patternAt: number | null): NonNullable<FunctionDefinition['prepare']> =>
  (given): Prepared => {
    const zone = zoneAt === null ? undefined : given[zoneAt];
    if (typeof zone === 'string' && !isZone(zone)) return { refused: 'the time zone is unknown' };
    const pattern = patternAt === null ? undefined : given[patternAt];
    const isPattern = typeof pattern !== 'string' || readPattern(pattern) !== null;
    return isPattern ? { prepared: null } : { refused: 'the time pattern is not valid' };
  };

const text = (call: (texts: readonly string[]) => Value, count: number): FunctionDefinition => ({
  parameters: Array.from({ length: count }, () => STRING),
  result: STRING,
  call: strict((given, { meter }) => {
    meter.step(4);
    return call(given.map(textOf));
  }),
});

const iso = (found: Instant | null): string | null => (found === null ? null : isoText(found));

function now([zone = 'UTC', pattern]: readonly Value[], context: CallContext): Value {
  context.meter.step(4);
  const given = typeof zone === 'string' && isZone(zone) ? instantAt(context.now.getTime(), zone) : null;
  if (given === null) return null;
  return pattern === undefined ? isoText(given) : byPattern(given, textOf(pattern));
}

export const TIME_FUNCTIONS = functionTable({
  'DateTime.now': {
    parameters: [],
    result: INSTANT,
    asks: 'now',
    call: (_given, context) => instantAt(context.now.getTime()),
  },
  'Time.fromIso8601ToString': {
    ...text(([time = '', pattern = '']) => {
      const found = fromIso(time);
      return found === null ? null : byPattern(found, pattern);
    }, 2),
    prepare: literals(null, 1),
  },
  'Time.fromIso8601ToUnix': text(([time = '']) => {
    const found = fromIso(time);
    return found === null ? null : String(Math.floor(found.epochMilliseconds / 1_000));
  }, 1),
  'Time.fromIso8601ToWindows': text(([time = '']) => {
    const found = fromIso(time);
    return found === null ? null : toWindows(found);
  }, 1),
  'Time.fromStringToIso8601': {
    ...text(([time = '', pattern = '']) => iso(fromPattern(time, pattern)), 2),
    prepare: literals(null, 1),
  },
  'Time.fromUnixToIso8601': text(([time = '']) => iso(fromUnixSeconds(time)), 1),
  'Time.fromWindowsToIso8601': text(([time = '']) => iso(fromWindows(time)), 1),
  'Time.now': {
    parameters: [STRING, STRING],
    optional: 2,
    result: STRING,
    asks: 'now',
    prepare: literals(0, 1),
    call: now,
  },
});

const parsed = (call: (given: string) => Instant | null): FunctionDefinition => ({
  parameters: [STRING],
  result: INSTANT,
  call: strict(([given], { meter }) => {
    meter.step(4);
    return call(textOf(given));
  }),
});

export const TIME_STRING_METHODS = functionTable({
  parseStringTime: {
    parameters: [STRING, STRING],
    optional: 1,
    result: INSTANT,
    prepare: literals(null, 1),
    call: strict(([given, pattern], { meter }) => {
      meter.step(4);
      return pattern === undefined ? fromIso(textOf(given)) : fromPattern(textOf(given), textOf(pattern));
    }),
  },
  parseUnixTime: parsed(fromUnix),
  parseWindowsTime: parsed(fromWindows),
});

const UNITS = { Days: 86_400_000, Hours: 3_600_000, Minutes: 60_000, Seconds: 1_000 } as const;

const moved = (milliseconds: number): FunctionDefinition => ({
  parameters: [INSTANT, INTEGER],
  result: INSTANT,
  call: strict(([instant, count]) =>
    isInstant(instant) ? instantAt(instant.epochMilliseconds + numberOf(count) * milliseconds, instant.zone) : null,
  ),
});

/** Makes a condition that holds if an instant is at most a given number of units before or after now. */
const within = (milliseconds: number): FunctionDefinition => ({
  parameters: [INSTANT, INTEGER],
  result: BOOLEAN,
  asks: 'now',
  call: question(
    ([instant, count], context) =>
      isInstant(instant) &&
      Math.abs(context.now.getTime() - instant.epochMilliseconds) <= numberOf(count) * milliseconds,
  ),
});

const written = (call: (instant: Instant, pattern: Value | undefined) => Value): FunctionDefinition => ({
  parameters: [INSTANT],
  result: STRING,
  call: strict(([instant, pattern], { meter }) => {
    meter.step(4);
    return isInstant(instant) ? call(instant, pattern) : null;
  }),
});

export const INSTANT_METHODS = functionTable({
  ...Object.fromEntries(
    Object.entries(UNITS).flatMap(([name, milliseconds]) => [
      [`plus${name}`, moved(milliseconds)],
      [`minus${name}`, moved(-milliseconds)],
      [`within${name}`, within(milliseconds)],
    ]),
  ),
  toString: {
    ...written((instant, pattern) => (pattern === undefined ? isoText(instant) : byPattern(instant, textOf(pattern)))),
    parameters: [INSTANT, STRING],
    optional: 1,
    prepare: literals(null, 1),
  },
  toUnix: written(({ epochMilliseconds }) => String(Math.trunc(epochMilliseconds))),
  toWindows: written(toWindows),
  toZone: {
    parameters: [INSTANT, STRING],
    result: INSTANT,
    prepare: literals(1, null),
    call: strict(([instant, zone], { meter }) => {
      meter.step(4);
      return isInstant(instant) && isZone(textOf(zone)) ? { ...instant, zone: textOf(zone) } : null;
    }),
  },
});
