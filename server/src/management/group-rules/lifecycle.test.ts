import { expect, test } from 'vitest';
import { isEventType } from '../../system-log/index.ts';
import { GROUP_RULE_STATUSES, groupRuleLifecycle } from './lifecycle.ts';

test('the table, once, as the contract has it (section 5)', () => {
  const allowed = GROUP_RULE_STATUSES.map((status) => [
    status,
    groupRuleLifecycle.actions.filter((action) => groupRuleLifecycle.allows(status, action)),
  ]);
  expect(Object.fromEntries(allowed)).toEqual({
    ACTIVE: ['deactivate', 'invalidate'],
    INACTIVE: ['activate', 'update', 'invalidate'],
    INVALID: [],
  });
});

test('every transition leads to one status and leaves an event of the catalogue', () => {
  for (const action of groupRuleLifecycle.actions) {
    const { event, to } = groupRuleLifecycle.transition(action);
    expect(to).toHaveLength(1);
    expect(isEventType(event), event).toBe(true);
  }
});
