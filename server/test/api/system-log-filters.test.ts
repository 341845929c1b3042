import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Field, matches, OPERATORS, type Operator, readFilter } from '../../src/filter/index.ts';
import { LOG_FIELDS } from '../../src/system-log/index.ts';
import { insertOutbox } from '../../src/system-log/outbox/outbox-store.ts';
import { beforeTests } from '../support/before-tests.ts';
import { createTestClient } from '../support/client.ts';
import { attributeRows, valueOf } from '../support/log-model-events.ts';
import { LogBench } from '../support/system-log.ts';
import { useService } from '../support/use-service.ts';

// This file tests the filter operators of attributes over HTTP. An evaluation in memory returns the expected events.

const { service } = useService();
const org = beforeTests(() => service.newOrg());
/** This client does not check responses against the contract, which lacks many of the values in this test. */
let reader: ReturnType<typeof createTestClient>;
let stored: readonly { readonly uuid: string }[];

const DEBUG_DATA = 'debugContext.debugData.';
const OPEN_NAMES = [
  `${DEBUG_DATA}risk`,
  `${DEBUG_DATA}dotted.key`,
  `${DEBUG_DATA}url`,
  `${DEBUG_DATA}requestUri`,
  'actor.detailEntry.methodTypeUsed',
  'transaction.detail.rootApiTokenId',
];

const fieldOf = (name: string): Field => {
  const field = LOG_FIELDS.fields.get(name) ?? LOG_FIELDS.resolve?.(name);
  if (field === undefined) throw new Error(`${name} is no attribute`);
  return field;
};

const FIELDS = [...LOG_FIELDS.fields.keys(), ...OPEN_NAMES].map(fieldOf);

/** The part of the name after the object's path is a single key, even if it contains dots. */
const openValue = (name: string) => (event: unknown) => {
  const prefix = [DEBUG_DATA, 'actor.detailEntry.', 'transaction.detail.'].find((one) => name.startsWith(one)) ?? '';
  let value = event;
  for (const part of prefix.slice(0, -1).split('.')) value = (value as Record<string, unknown> | null)?.[part];
  return (value as Record<string, unknown> | null)?.[name.slice(prefix.length)];
};

const TWIN = {
  ...LOG_FIELDS,
  resolve: (name: string) => {
    const field = LOG_FIELDS.resolve?.(name);
    return field === undefined ? undefined : { ...field, value: openValue(name) };
  },
};

const found = async (parameters: Readonly<Record<string, string>>): Promise<string[]> => {
  const query = new URLSearchParams({ limit: '1000', ...parameters }).toString().replaceAll('+', '%20');
  const response = await reader.get(`/api/v1/logs?${query}`);
  if (response.status !== 200) throw new Error(`${query}: ${response.text}`);
  const known = new Set(stored.map((event) => event.uuid));
  // Reads of the log are logged too, so events that are newer than `stored` are left out.
  return (response.body as { uuid: string }[]).map((event) => event.uuid).filter((uuid) => known.has(uuid));
};

const expected = (filter: string): string[] => {
  const checked = readFilter(filter, TWIN);
  return stored.filter((event) => matches(checked, event)).map((event) => event.uuid);
};

beforeAll(async () => {
  const headers = { authorization: `SSWS ${org.adminToken}` };
  reader = createTestClient({ port: service.port, hostname: org.hostname, ca: service.ca, headers });
  await service.drained();
  const rows = attributeRows(new LogBench(service.database.pool), org.id, FIELDS, service.clock.now());
  const { text, values } = insertOutbox(rows);
  await service.database.pool.query(text, [...values]);
  await service.drained();
  stored = (await reader.get('/api/v1/logs?limit=1000')).body;
  expect(stored.length).toBeGreaterThan(rows.length);
});
afterAll(() => reader.close());

const literal = (value: unknown): string => JSON.stringify(value);

const swapped = (text: string): string =>
  text.replaceAll(/\p{L}/gu, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );

/** At least one of the operands matches an event. */
function operandsOf(field: Field, operator: Operator): unknown[] {
  if (operator === 'pr') return [null];
  if (field.name === 'uuid') return [stored[2]?.uuid.slice(operator === 'ew' ? 4 : 0), stored[3]?.uuid, 'zzz', '-'];
  const values = [0, 1, 2].map((variant) => valueOf(field, variant));
  if (field.type === 'boolean') return [true, false];
  if (field.type === 'number') return [...values, 0.125, 1e6];
  const [first = '', second = '', third = ''] = values.map((value) => (typeof value === 'string' ? value : ''));
  if (operator === 'sw') return [first.slice(0, 3), swapped(first.slice(0, 3)), second, ''];
  if (operator === 'ew') return [first.slice(-3), swapped(first.slice(-3)), second, ''];
  if (operator === 'co') return [first.slice(2, 5), swapped(first.slice(2, 5)), '%', ''];
  if (operator !== 'eq') return [first, second, third, ''];
  return [first, swapped(first), second, third, '', 'nowhere'];
}

const leafText = (field: Field, operator: Operator, operand: unknown): string =>
  operator === 'pr' ? `${field.name} pr` : `${field.name} ${operator} ${literal(operand)}`;

function formsOf(text: string): Readonly<Record<string, string>>[] {
  const since = new Date(service.clock.now().getTime() - 3_600_000).toISOString();
  const forms = [`not (${text})`, `${text} or eventType eq "nowhere"`];
  return [...forms.map((filter) => ({ filter })), { since, until: '2100-01-01T00:00:00Z', filter: text }];
}

const PLAIN_FORM_ALONE: ReadonlySet<Operator> = new Set(['ne', 'gt', 'ge', 'lt', 'le', 'sw', 'ew', 'co']);

describe('an attribute', () => {
  test.each(FIELDS.map((field) => [field.name, field] as const))(
    '%s is found by what each of its operators asks for, and by nothing else',
    async (_, field) => {
      const queries = field.operators.flatMap((operator) => {
        const texts = operandsOf(field, operator).map((operand) => leafText(field, operator, operand));
        const forms = PLAIN_FORM_ALONE.has(operator) ? [] : formsOf(texts[0] ?? '');
        return [...texts.map((filter): Readonly<Record<string, string>> => ({ filter })), ...forms];
      });
      const answers = await Promise.all(queries.map(found));
      const asked = queries.map((query, place) => ({ ...query, found: answers[place] }));
      expect(asked).toEqual(queries.map((query) => ({ ...query, found: expected(query['filter'] ?? '') })));
      // Empty results would prove nothing, so each operator must match an event with at least one operand.
      for (const operator of field.operators) {
        const hit = operandsOf(field, operator).some((one) => expected(leafText(field, operator, one)).length > 0);
        expect(hit, operator).toBe(true);
      }
    },
  );
});

describe('an operator that an attribute does not have', () => {
  const pairs = FIELDS.flatMap((field) =>
    OPERATORS.filter((operator) => !field.operators.includes(operator)).map((operator) => [field, operator] as const),
  );

  test('there are some', () => {
    expect(pairs.map(([field, operator]) => `${field.name} ${operator}`)).toContain(`${DEBUG_DATA}url co`);
  });

  test.each(pairs.map(([field, operator]) => [field.name, operator] as const))(
    '%s %s is E0000031 with the exact text',
    async (name, operator) => {
      const filter = encodeURIComponent(`${name} ${operator} "x"`);
      const response = await reader.get(`/api/v1/logs?filter=${filter}`);
      expect(response).toMatchObject({ status: 400, body: { errorCode: 'E0000031' } });
      expect(response.body.errorSummary).toBe(
        'The supplied combination of operator and field is not currently supported. ' +
          `Operator: ${operator}, Field: ${name}`,
      );
    },
  );
});

/** Paths that filters do not support. */
const NOT_ASKED_FOR = [
  'published',
  'target.detailEntry',
  'target.detailEntry.kid',
  'target.detailEntry.signsFrom',
  'securityContext.ipDetails',
  'securityContext.userBehaviors',
  'securityContext.risk',
  'securityContext.botProtection',
  'request.ipChain.ipDetails',
  'request.ipChain.geographicalContext.geolocation',
];

describe('an event', () => {
  /** An element of an array has the path of the array. */
  function leaves(value: unknown, path: string): string[] {
    if (Array.isArray(value)) return value.flatMap((item) => leaves(item, path));
    if (typeof value !== 'object' || value === null) return [path];
    return Object.entries(value).flatMap(([name, item]) => leaves(item, path === '' ? name : `${path}.${name}`));
  }

  test('has nothing that cannot be asked for but its time, changes, and objects that nothing fills yet', () => {
    const paths = [...new Set(stored.flatMap((event) => leaves(event, '')))];
    const names = [...LOG_FIELDS.fields.keys()];
    const unknown = paths.filter((path) => {
      const isKnown = LOG_FIELDS.fields.has(path) || LOG_FIELDS.resolve?.(path) !== undefined;
      const isEmptyParent =
        paths.some((other) => other.startsWith(`${path}.`)) || names.some((name) => name.startsWith(`${path}.`));
      return !isKnown && !isEmptyParent && !path.startsWith('target.changeDetails');
    });
    expect(unknown).toContain('published');
    expect(unknown.filter((path) => !NOT_ASKED_FOR.includes(path))).toEqual([]);
  });
});
