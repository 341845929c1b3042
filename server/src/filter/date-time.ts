const DATE_TIME =
  /^(\d{4}-\d{2}-\d{2})(?:[Tt ](\d{2}:\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?:[Zz]|([+-])(\d{2}):?(\d{2}))?)?$/;

// Outside the years 1 to 9999, toISOString writes a form that PostgreSQL cannot read.
const EARLIEST = Date.parse('0001-01-01T00:00:00.000Z');
const LATEST = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * Parses an ISO 8601 date or date-time. A time without a zone is in UTC, and a date alone means midnight UTC. Fractions
 * of a second are truncated to milliseconds. Returns undefined for other strings, and for times that do not exist or
 * are outside the years 1 to 9999.
 */
export function parseDateTime(text: string): Date | undefined {
  const match = DATE_TIME.exec(text);
  if (!match) return undefined;
  const [, day, minutes = '00:00', seconds = '00', fraction = '', sign, offsetHours = '0', offsetMinutes = '0'] = match;
  const local = `${day}T${minutes}:${seconds}.${fraction.slice(0, 3).padEnd(3, '0')}Z`;
  const milliseconds = Date.parse(local);
  // Date.parse does not refuse 30 February or 24:00, but returns a later day.
  if (Number.isNaN(milliseconds) || new Date(milliseconds).toISOString() !== local) return undefined;
  if (Number(offsetHours) > 23 || Number(offsetMinutes) > 59) return undefined;

  const offset = (Number(offsetHours) * 60 + Number(offsetMinutes)) * 60_000;
  const instant = sign === '-' ? milliseconds + offset : milliseconds - offset;
  return instant < EARLIEST || instant > LATEST ? undefined : new Date(instant);
}
