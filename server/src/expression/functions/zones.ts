import { LRUCache } from 'lru-cache';

const OFFSET = /^([+-])([01][0-9]|2[0-3]):?([0-5][0-9])$/;
/** The maximum length of a zone name, in UTF-16 units. */
const MAXIMUM_ZONE_LENGTH = 64;
const MINUTE = 60_000;

const formats = new LRUCache<string, Intl.DateTimeFormat>({ max: 200 });

/** Zone names that ICU treats as fixed offsets, with the places whose time they mean in the documented expressions. */
const PLACES: ReadonlyMap<string, string> = new Map([
  ['EST', 'America/New_York'],
  ['MST', 'America/Denver'],
  ['HST', 'Pacific/Honolulu'],
]);

function formatOf(zone: string): Intl.DateTimeFormat | null {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  try {
    const format = new Intl.DateTimeFormat('en-US', {
      timeZone: PLACES.get(zone) ?? zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
      era: 'short',
    });
    formats.set(zone, format);
    return format;
  } catch {
    return null;
  }
}

export const isZone = (zone: string): boolean =>
  zone.length <= MAXIMUM_ZONE_LENGTH && (OFFSET.test(zone) || formatOf(zone) !== null);

/** Returns the offset from UTC, rounded to minutes, because historical offsets can contain seconds. */
export function offsetMinutes(zone: string, epochMilliseconds: number): number | null {
  if (zone === 'UTC' || zone === 'Z') return 0;
  if (zone.length > MAXIMUM_ZONE_LENGTH || !Number.isFinite(new Date(epochMilliseconds).getTime())) return null;
  const [, sign, hours, minutes] = OFFSET.exec(zone) ?? [];
  if (sign !== undefined) return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
  const format = formatOf(zone);
  if (format === null) return null;
  const parts = Object.fromEntries(format.formatToParts(epochMilliseconds).map(({ type, value }) => [type, value]));
  const number = (name: string): number => Number(parts[name] ?? 0);
  const year = parts['era'] === 'BC' ? 1 - number('year') : number('year');
  const shown = new Date(0);
  shown.setUTCFullYear(year, number('month') - 1, number('day'));
  shown.setUTCHours(number('hour'), number('minute'), number('second'));
  const whole = Math.floor(epochMilliseconds / 1_000) * 1_000;
  return Math.round((shown.getTime() - whole) / MINUTE);
}

/** Formats an offset as `+02:00`, or as `+0200` if `colon` is empty. */
export function offsetText(minutes: number, colon = ':'): string {
  const [sign, size] = [minutes < 0 ? '-' : '+', Math.abs(minutes)];
  const digits = (value: number): string => String(value).padStart(2, '0');
  return `${sign}${digits(Math.floor(size / 60))}${colon}${digits(size % 60)}`;
}
