import type { OperatorsRow } from '../../server/src/filter/fields.ts';
import type { Transition } from '../../server/src/kernel/lifecycle.ts';
import type { Setting } from '../../server/src/settings/settings.ts';
import type { EventDefinition } from '../../server/src/system-log/write/event-kinds.ts';
import { byText, code, codes, page, table } from './markdown.ts';

interface OAuthErrorRow {
  readonly status: number;
  readonly error: string;
  readonly internalCode: string;
  readonly description: string;
}

export function generateErrors(
  errors: Readonly<Record<string, { status: number; summary: string }>>,
  oauthErrors: Readonly<Record<string, OAuthErrorRow>>,
): string {
  const rows = Object.entries(errors)
    .sort(([left], [right]) => byText(left, right))
    .map(([errorCode, { status, summary }]) => [code(errorCode), String(status), summary]);
  return page(
    'Errors',
    'Source: `server/src/kernel/errors/errors.ts`. `{name}` stands for inserted text. A few cases answer otherwise.',
    table(['Code', 'Status', 'Summary'], rows),
    'OAuth endpoints answer `error` and `error_description` (`server/src/kernel/errors/oauth-errors.ts`):',
    table(
      ['Error', 'Status', 'Description', 'Reason in events'],
      Object.values(oauthErrors).map(({ description, error, internalCode, status }) => [
        code(error),
        String(status),
        description,
        code(internalCode),
      ]),
    ),
  );
}

/** Generates the page of events. `owed` maps each type that nothing emits yet to the missing feature. */
export function generateEvents(
  events: Readonly<Record<string, EventDefinition>>,
  emitters: ReadonlyMap<string, readonly string[]>,
  owed: Readonly<Record<string, string>>,
): string {
  const emittedBy = (eventType: string): string =>
    emitters.get(eventType)?.map(code).join(', ') ?? `not yet: ${owed[eventType] ?? 'nothing'}`;
  const rows = Object.entries(events)
    .sort(([left], [right]) => byText(left, right))
    .map(([eventType, event]) => [
      code(eventType),
      event.displayMessage,
      event.severity,
      event.targetTypes.length === 0 ? '-' : event.targetTypes.join(', '),
      event.hookEligible ? 'yes' : 'no',
      event.voids.length === 0 ? '-' : event.voids.join(', '),
      emittedBy(eventType),
    ]);
  return page(
    'Events',
    'Source: `server/src/system-log/write/events.ts`; the last column is read from the files under `server/src`.',
    table(['Event type', 'Message', 'Severity', 'Targets', 'Hooks', 'Voids', 'Emitted by'], rows),
  );
}

export interface LifecycleInput {
  readonly title: string;
  readonly source: string;
  readonly statuses: readonly string[];
  readonly table: Readonly<Record<string, Transition<string>>>;
}

export function generateLifecycles(lifecycles: readonly LifecycleInput[]): string {
  const blocks = lifecycles.flatMap((one) => {
    const actions = Object.entries(one.table);
    const transitions = actions.map(([action, row]) => [
      code(action),
      row.from.join(', '),
      typeof row.to === 'string' ? row.to : row.to.join(' or '),
      row.event === undefined ? '-' : code(row.event),
    ]);
    const linked = one.statuses.map((status) => {
      const allowed = actions.filter(([, row]) => row.from.includes(status));
      const isLinked = (row: Transition<string>) => !(row.unlinked ?? []).includes(status);
      return [
        status,
        codes(allowed.filter(([, row]) => isLinked(row)).map(([action]) => action)),
        codes(allowed.filter(([, row]) => !isLinked(row)).map(([action]) => action)),
      ];
    });
    return [
      `## ${one.title}`,
      `Source: \`${one.source}\`.`,
      table(['Operation', 'From', 'To', 'Event'], transitions),
      table(['Status', 'Linked', 'Allowed, not linked'], linked),
    ];
  });
  return page('Lifecycles', ...blocks);
}

export function generateConfig(settings: Readonly<Record<string, Setting<unknown>>>): string {
  const rows = Object.values(settings).map((row) => {
    const inForce = row.default === null || row.default === '' ? (row.otherwise ?? '-') : code(row.default);
    const { formerly } = row;
    const note = formerly && ` Formerly ${code(formerly.name)}, which works until release ${formerly.until}.`;
    return [code(row.name), row.type, inForce, `${row.meaning}${note ?? ''}`];
  });
  return page(
    'Settings',
    'Source: `server/src/settings/settings.ts`. An unknown `GATEHOUSE_*` variable stops the start.',
    table(['Variable', 'Type', 'Default', 'Meaning'], rows),
  );
}

export interface FilterTable {
  readonly title: string;
  readonly fields: readonly OperatorsRow[];
}

export function generateFilters(tables: readonly FilterTable[]): string {
  const blocks = tables.flatMap(({ title, fields }) => [
    `## ${title}`,
    table(
      ['Attribute', 'Type', 'Operators'],
      fields.map((field) => [code(field.name), field.type, codes(field.operators)]),
    ),
  ]);
  return page('Filters', 'Source: the field tables of every slice.', ...blocks);
}
