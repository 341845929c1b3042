import { expect, test } from 'vitest';
import { IMPORT_STATUSES, STATUSES_IN_USE, sqlStatuses, VOIDING_STATUSES } from './user-statuses.ts';

test('the table says which statuses void, keep what is open, and can be imported', () => {
  expect(sqlStatuses(VOIDING_STATUSES)).toBe("('RECOVERY', 'SUSPENDED', 'DEPROVISIONED')");
  expect(STATUSES_IN_USE).toEqual(['PROVISIONED', 'ACTIVE', 'RECOVERY', 'LOCKED_OUT', 'PASSWORD_EXPIRED']);
  const imported = ['STAGED', 'PROVISIONED', 'ACTIVE', 'PASSWORD_EXPIRED', 'SUSPENDED', 'DEPROVISIONED'];
  expect(IMPORT_STATUSES).toEqual(imported);
});
