import { expect, test } from 'vitest';
import { orgIdentity } from './decide-user-tokens.ts';

const now = new Date('2026-11-21T10:00:00.000Z');
const common = {
  status: 'ACTIVE',
  typeId: 'oty1',
  profile: {},
  unprovedEmail: null,
  lastUpdatedAt: now,
  validAfter: now,
} as const;
const user = { id: '00u1', login: 'ada', ...common };
const groupsOf = (count: number, name: string) =>
  Array.from({ length: count }, (_, index) => ({ id: `00g${index}`, name, type: 'SVC_GROUP', source: 'SVC' }));
const told = (count: number, name: string) => orgIdentity(['openid', 'groups'], user, groupsOf(count, name));

test('groups are told whole or not at all: as many, and as many bytes, as a token has room for', () => {
  expect(told(100, 'short')).toHaveProperty('groups.length', 100);
  expect(told(101, 'short')).not.toHaveProperty('groups');
  expect(told(40, 'ä'.repeat(70))).toHaveProperty('groups.length', 40);
  expect(told(60, 'ä'.repeat(70))).not.toHaveProperty('groups');
});
