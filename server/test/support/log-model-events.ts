import type { Field } from '../../src/filter/index.ts';
import type { Context } from '../../src/kernel/context.ts';
import type { Json, JsonObject } from '../../src/system-log/index.ts';
import type { OutboxRow } from '../../src/system-log/outbox/outbox-store.ts';
import { fieldPath } from '../../src/system-log/query/query-fields.ts';
import { saltedBody } from '../../src/system-log/rendering/digest.ts';
import { sortedTokens } from '../../src/system-log/rendering/terms/search-terms.ts';
import { created, type LogBench, requestContext } from './system-log.ts';

type Mutable = { [name: string]: Json | Mutable };

/** Values by variant, for attributes whose values come from a fixed set or must have a certain form. */
const OWN_VALUES: Readonly<Record<string, readonly Json[]>> = {
  eventType: ['user.lifecycle.create', 'user.session.start', 'application.lifecycle.update'],
  version: ['0', '0', '1'],
  severity: ['INFO', 'WARN', 'DEBUG'],
  'outcome.result': ['SUCCESS', 'FAILURE', 'DENY'],
  'transaction.type': ['WEB', 'JOB', 'WEB'],
  'request.ipChain.version': ['V4', 'V6', 'V4'],
  'client.ipAddress': ['203.0.113.9', '2001:db8::1', '198.51.100.7'],
  'request.ipChain.ip': ['203.0.113.9', '2001:db8::1', '198.51.100.7'],
  'securityContext.asNumber': [64_512, 7, 0],
  'authenticationContext.authenticationStep': [0, 1, 2],
};
const NUMBERS = [48.5, -0.25, 0];
const BOOLEANS = [true, false, null];

export function valueOf({ name, type }: Field, variant: number): Json {
  const own = OWN_VALUES[name]?.[variant];
  if (own !== undefined) return own;
  if (type === 'number') return NUMBERS[variant] ?? null;
  if (type === 'boolean') return BOOLEANS[variant] ?? null;
  const leaf = name.split('.').at(-1) ?? name;
  const texts = [`${leaf}-Alpha 100%_\\"x"`, `${leaf}-alpha`, `Ünï☃${leaf} ${'long'.repeat(60)}`];
  return texts[variant] ?? '';
}

function put(target: Mutable, path: readonly string[], value: Json): void {
  let place = target;
  for (const name of path.slice(0, -1)) {
    const next = place[name];
    const made: Mutable = typeof next === 'object' && next !== null && !Array.isArray(next) ? (next as Mutable) : {};
    place[name] = made;
    place = made;
  }
  place[path.at(-1) ?? ''] = value;
}

const UNTOUCHED = new Set(['uuid']);

/**
 * Sets every attribute except `uuid` to the result of `value`. In an array, only the element at the index `element`
 * changes.
 */
function fill(wire: Mutable, fields: readonly Field[], element: number, value: (field: Field) => Json): void {
  for (const field of fields) {
    if (UNTOUCHED.has(field.name)) continue;
    const { array, path } = fieldPath(field);
    if (array === null) {
      put(wire, path, value(field));
      continue;
    }
    let list: unknown = wire;
    for (const name of array) list = (list as Mutable)[name];
    const elements = list as Mutable[];
    elements[element] ??= {};
    put(elements[element], path, value(field));
  }
}

const TARGET = { detailEntry: null, changeDetails: null };
const IP = { geographicalContext: { geolocation: null }, ipDetails: null };

const emptied = (wire: JsonObject): Mutable => {
  return {
    ...structuredClone<Mutable>(wire),
    target: [structuredClone(TARGET), structuredClone(TARGET)],
    request: { ipChain: [structuredClone(IP), structuredClone(IP)] },
  };
};

/** Attributes that the schema of events allows to be null or empty. */
const NULLABLE = /^(legacyEventType|outcome\.reason|client\.(device|id)|authenticationContext\.(?!authenticationStep))/;
const textOrNull = (text: '' | null) => (field: Field) =>
  field.type === 'string' && NULLABLE.test(field.name) ? text : valueOf(field, 0);

/** Builds events that together cover several values of each attribute except `uuid`. */
export function wiresOf(fields: readonly Field[], base: JsonObject): JsonObject[] {
  const wires = [0, 1, 2].map((variant) => {
    const wire = emptied(base);
    fill(wire, fields, 0, (field) => valueOf(field, variant));
    fill(wire, fields, 1, (field) => valueOf(field, (variant + 1) % 3));
    return wire;
  });
  for (const text of ['', null] as const) {
    const wire = emptied(base);
    fill(wire, fields, 0, textOrNull(text));
    fill(wire, fields, 1, (field) => valueOf(field, 2));
    wires.push(wire);
  }
  const bare = structuredClone<Mutable>(base);
  wires.push({ ...bare, device: null, target: null, request: { ipChain: [] } });
  return wires;
}

function textAt(wire: JsonObject, ...path: readonly string[]): string | null {
  let value: Json = wire;
  for (const name of path) value = (value as JsonObject)[name] ?? null;
  return typeof value === 'string' ? value : null;
}

/** Builds the row of an event that no use case records. Its columns, search terms and digest match the event. */
export function rowOf(bench: LogBench, context: Context, change: (base: JsonObject) => JsonObject): OutboxRow {
  const row = bench.makeRow(context, created('00uattribute00000001'));
  const wire = change(JSON.parse(row.body.toString('utf8')) as JsonObject);
  const targets = (wire['target'] ?? []) as readonly JsonObject[];
  return {
    ...row,
    eventType: textAt(wire, 'eventType') ?? '',
    severity: textAt(wire, 'severity') ?? '',
    actorId: textAt(wire, 'actor', 'id') ?? '',
    targetIds: [...new Set(targets.map((target) => textAt(target, 'id') ?? ''))],
    outcomeResult: textAt(wire, 'outcome', 'result'),
    clientIpAddress: textAt(wire, 'client', 'ipAddress'),
    transactionId: textAt(wire, 'transaction', 'id') ?? '',
    tokens: sortedTokens(row.orgId, wire),
    ...saltedBody(row.salt, JSON.stringify(wire)),
  };
}

export function attributeRows(bench: LogBench, orgId: Context['orgId'], fields: readonly Field[], now: Date) {
  const context = () => requestContext(orgId, now);
  const count = wiresOf(fields, {}).length;
  const rows = Array.from({ length: count }, (_, place) =>
    rowOf(bench, context(), (base) => wiresOf(fields, base)[place] ?? base),
  );
  return [...rows, bench.makeRow(context(), created('00uordinary000000001'))];
}
