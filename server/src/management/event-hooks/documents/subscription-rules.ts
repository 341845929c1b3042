import { type CheckedExpression, type FieldTable, readFilter } from '../../../filter/index.ts';
import { ApiError, invalid } from '../../../kernel/errors/errors.ts';
import { required, tooLong, tooMany } from '../../../kernel/errors/field-errors.ts';
import type { SubscriptionInput } from '../contract.ts';

export interface EventFilter {
  readonly event: string;
  readonly expression: string;
}

export interface Subscription {
  readonly items: readonly string[];
  /** Each item has at most one filter. Without a filter, the hook receives all events of the type. */
  readonly filters: readonly EventFilter[];
}

/** The event types that hooks can subscribe to, and the attributes by which events can be filtered. */
export interface EventCatalogue {
  /** Returns all names of an event type, or null if the type is unknown or not available to hooks. */
  readonly hookNames: (eventType: string) => readonly string[] | null;
  readonly fields: FieldTable;
}

const MAXIMUM_EVENT_TYPES = 300;
const MAXIMUM_EXPRESSION_LENGTH = 2_048;
const FILTER_LANGUAGE = 'EXPRESSION_LANGUAGE';
const SHOWN_NAME_LENGTH = 100;
const shown = (name: string): string => name.slice(0, SHOWN_NAME_LENGTH);

function readItems(items: readonly string[], { hookNames }: EventCatalogue): string[] {
  if (items.length === 0) throw required('events.items');
  if (items.length > MAXIMUM_EVENT_TYPES) {
    throw tooMany('events.items', MAXIMUM_EVENT_TYPES, 'event types');
  }
  const seen = new Set<string>();
  for (const [index, item] of items.entries()) {
    const field = `events.items[${index}]`;
    if (hookNames(item) === null)
      throw invalid(field, `'${shown(item)}' is not an event type that hooks can subscribe to.`);
    if (seen.has(item)) throw invalid(field, `'${shown(item)}' is repeated.`);
    seen.add(item);
  }
  return [...items];
}

function checkExpression(field: string, expression: string, fields: FieldTable): CheckedExpression {
  if (expression.length > MAXIMUM_EXPRESSION_LENGTH) {
    throw tooLong(field, MAXIMUM_EXPRESSION_LENGTH);
  }
  try {
    return readFilter(expression, fields);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw invalid(field, `must be a filter expression of the System Log: ${error.message}.`);
  }
}

function readFilters(input: SubscriptionInput['filter'], items: readonly string[], fields: FieldTable): EventFilter[] {
  if (input === undefined || input === null) return [];
  if ((input.type ?? FILTER_LANGUAGE) !== FILTER_LANGUAGE) {
    throw invalid('events.filter.type', `must be ${FILTER_LANGUAGE}.`);
  }
  const seen = new Set<string>();
  return (input.eventFilterMap ?? []).map(({ event, condition: { expression } }, index) => {
    const field = `events.filter.eventFilterMap[${index}]`;
    if (!items.includes(event)) throw invalid(`${field}.event`, `'${shown(event)}' is not one of events.items.`);
    if (seen.has(event)) throw invalid(`${field}.event`, `'${shown(event)}' has a filter already.`);
    seen.add(event);
    checkExpression(`${field}.condition.expression`, expression, fields);
    return { event, expression };
  });
}

export function readSubscription(input: SubscriptionInput, catalogue: EventCatalogue): Subscription {
  if (input.type !== 'EVENT_TYPE') throw invalid('events.type', 'must be EVENT_TYPE.');
  const items = readItems(input.items, catalogue);
  return { items, filters: readFilters(input.filter, items, catalogue.fields) };
}

export const wireFilters = (filters: readonly EventFilter[]) =>
  filters.length === 0
    ? null
    : {
        type: FILTER_LANGUAGE,
        eventFilterMap: filters.map(({ event, expression }) => ({ event, condition: { expression, version: null } })),
      };

/** The keys of the result are event names. A null filter accepts all events with that name. */
export function compileSubscription(
  { filters, items }: Subscription,
  { fields, hookNames }: EventCatalogue,
): ReadonlyMap<string, CheckedExpression | null> {
  const wanted = new Map<string, CheckedExpression | null>();
  for (const item of items) {
    const expression = filters.find(({ event }) => event === item)?.expression;
    const filter = expression === undefined ? null : readFilter(expression, fields);
    for (const name of hookNames(item) ?? []) wanted.set(name, filter);
  }
  return wanted;
}
