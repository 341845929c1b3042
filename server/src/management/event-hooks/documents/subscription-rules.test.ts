import { describe, expect, test } from 'vitest';
import { matches } from '../../../filter/index.ts';
import { ApiError } from '../../../kernel/errors/errors.ts';
import type { SubscriptionInput } from '../contract.ts';
import { EVENT_CATALOGUE } from './event-catalogue.ts';
import { compileSubscription, readSubscription, wireFilters } from './subscription-rules.ts';

type Filter = NonNullable<SubscriptionInput['filter']>;

const CREATE = 'user.lifecycle.create';
const SIGN_IN = 'user.session.start';

const filterOf = (event: string, expression: string): Filter => ({
  type: 'EXPRESSION_LANGUAGE',
  eventFilterMap: [{ event, condition: { expression } }],
});
const read = (given: Partial<SubscriptionInput>) =>
  readSubscription({ type: 'EVENT_TYPE', items: [CREATE], ...given }, EVENT_CATALOGUE);

function causeOf(given: Partial<SubscriptionInput>): string {
  try {
    read(given);
    return 'nothing was refused';
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'E0000001') throw error;
    return error.causes[0]?.errorSummary ?? '';
  }
}

describe('event types', () => {
  test.each([
    [['*'], 0],
    [[CREATE, 'user.lifecycle.*'], 1],
    [['constructor'], 0],
    [['user.lifecycle.invented'], 0],
    [['event_hook.delivery'], 0],
    [['system.log.read'], 0],
    [[''], 0],
    [[CREATE, SIGN_IN, CREATE], 2],
  ])('%j: the one at %i is refused by name', (items, index) => {
    expect(causeOf({ items })).toContain(`events.items[${index}]: '${items[index]}'`);
  });

  test('are 1 to 300, of one kind of subscription', () => {
    expect(causeOf({ items: [] })).toBe('events.items: The field cannot be left blank');
    const many = Array.from({ length: 301 }, () => CREATE);
    expect(causeOf({ items: many })).toBe('events.items: must have at most 300 event types.');
    expect(causeOf({ type: 'FLOW_EVENT' })).toBe('events.type: must be EVENT_TYPE.');
  });

  test('none about deliveries is eligible: a delivery that fails would cause another', () => {
    for (const name of ['event_hook.delivery', 'system.log_stream.delivery', 'system.log.delivery.dead_letter']) {
      expect(EVENT_CATALOGUE.hookNames(name)).toBeNull();
    }
  });
});

describe('a filter', () => {
  test('is kept as it was written, and told in the shape of the wire', () => {
    const expression = 'actor.id eq "00u1" and not (outcome.result eq "FAILURE")';
    const subscription = read({ filter: filterOf(CREATE, expression) });
    expect(subscription).toEqual({ items: [CREATE], filters: [{ event: CREATE, expression }] });
    expect(wireFilters(subscription.filters)).toEqual({
      type: 'EXPRESSION_LANGUAGE',
      eventFilterMap: [{ event: CREATE, condition: { expression, version: null } }],
    });
    expect(wireFilters(read({ filter: null }).filters)).toBeNull();
    expect(wireFilters(read({ filter: { eventFilterMap: [] } }).filters)).toBeNull();
  });

  test('decides about the events of its type, and lets the others through', () => {
    const items = [CREATE, SIGN_IN];
    const subscription = read({ items, filter: filterOf(CREATE, 'target.displayName co "Ada"') });
    const wanted = compileSubscription(subscription, EVENT_CATALOGUE);
    expect([...wanted.keys()]).toEqual(items);
    expect(wanted.get(SIGN_IN)).toBeNull();
    const filter = wanted.get(CREATE);
    if (filter === undefined || filter === null) throw new Error('the filter is gone');
    expect(matches(filter, { target: [{ displayName: 'Bob' }, { displayName: 'Ada L' }] })).toBe(true);
    expect(matches(filter, { target: [{ displayName: 'Bob' }] })).toBe(false);
    expect(matches(filter, { target: null })).toBe(false);
  });

  const place = 'events.filter.eventFilterMap[0]';
  test.each<[string, Filter]>([
    ['events.filter.type: must be', { type: 'SCIM', eventFilterMap: [] }],
    [`${place}.event: '${SIGN_IN}' is not one of events.items.`, filterOf(SIGN_IN, 'actor.id pr')],
    [`${place}.condition.expression: must be a filter`, filterOf(CREATE, '')],
    [`${place}.condition.expression: must be a filter`, filterOf(CREATE, 'actor.id eqq "a"')],
    [`${place}.condition.expression: must be a filter`, filterOf(CREATE, 'constructor pr')],
    [`${place}.condition.expression: must be a filter`, filterOf(CREATE, '__proto__.a eq "b"')],
    [`${place}.condition.expression: must be at most`, filterOf(CREATE, `actor.id eq "${'a'.repeat(2_048)}"`)],
    [
      `${place}.condition.expression: must be a filter`,
      filterOf(
        CREATE,
        "event.target.?[type eq 'UserGroup'].size()>0 && event.target.?[displayName eq 'Sales'].size()>0",
      ),
    ],
  ])('is refused: %s', (cause, filter) => expect(causeOf({ filter })).toContain(cause));

  test('is one for each type', () => {
    const one = { event: CREATE, condition: { expression: 'actor.id pr' } };
    const cause = causeOf({ filter: { eventFilterMap: [one, one] } });
    expect(cause).toBe(`events.filter.eventFilterMap[1].event: '${CREATE}' has a filter already.`);
  });
});
