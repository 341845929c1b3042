import { expect, test } from 'vitest';
import { ROW_QUOTAS } from './row-quotas.ts';
import { READ_TABLES, UNREAD_TABLES } from './row-readers.ts';
import { TRANSFER_TABLES } from './transfer-tables.ts';

const names = TRANSFER_TABLES.map(({ name }) => name);

test('each table of an org file has a reader, or a reason to have none, and not both', () => {
  expect([...READ_TABLES, ...Object.keys(UNREAD_TABLES)].toSorted()).toEqual(names.toSorted());
  for (const reason of Object.values(UNREAD_TABLES)) expect(reason).not.toBe('');
});

test('rows are counted of tables that there are', () => {
  expect(Object.keys(ROW_QUOTAS).filter((name) => !names.includes(name))).toEqual([]);
});
