/** Returns the value at a path. Inherited members do not count. */
function at(event: unknown, ...path: readonly string[]): unknown {
  let value = event;
  for (const name of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return value;
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const column = (name: string): readonly [name: string, value: (event: unknown) => unknown] => {
  const path = name.split('.');
  return [name, (event) => at(event, ...path)];
};

/** Makes a column with the values of all targets in order, joined by semicolons. */
const targets = (name: string): readonly [name: string, value: (event: unknown) => unknown] => [
  `target.${name}`,
  (event) => {
    const list = at(event, 'target');
    return Array.isArray(list) ? list.map((target) => textOf(at(target, name))).join(';') : null;
  },
];

/** The columns after `position` in a CSV export. They are fixed, so that programs can rely on them. */
const COLUMNS = [
  ...['uuid', 'published', 'eventType', 'severity', 'displayMessage', 'outcome.result', 'outcome.reason'].map(column),
  ...['actor.id', 'actor.type', 'actor.alternateId', 'actor.displayName', 'client.ipAddress', 'client.zone'].map(
    column,
  ),
  ...['client.device', 'client.id', 'client.userAgent.rawUserAgent'].map(column),
  ...['city', 'state', 'country'].map((name) => column(`client.geographicalContext.${name}`)),
  ...['id', 'type', 'alternateId', 'displayName'].map(targets),
  ...['authenticationContext.externalSessionId', 'transaction.type', 'transaction.id'].map(column),
  ...['debugContext.debugData', 'target'].map(column),
];

export const CSV_COLUMNS: readonly string[] = ['position', ...COLUMNS.map(([name]) => name)];

/** A spreadsheet may treat a cell that starts like this as a formula. It skips a leading tab or carriage return. */
const FORMULA = /^[=+\-@\t\r]/;
const NEEDS_QUOTES = /[",\r\n]/;

/** Writes a cell (RFC 4180). An apostrophe keeps a spreadsheet from executing the cell. */
export function csvCell(value: string): string {
  const safe = FORMULA.test(value) ? `'${value}` : value;
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export const csvLine = (cells: readonly string[]): string => `${cells.map(csvCell).join(',')}\r\n`;

export const csvHeader = (): string => csvLine(CSV_COLUMNS);

export function csvRow(position: number, body: string): string {
  const event: unknown = JSON.parse(body);
  return csvLine([String(position), ...COLUMNS.map(([, value]) => textOf(value(event)))]);
}
