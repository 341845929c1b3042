import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { budgetOf, EXCEPTIONS, overBudget } from './budgets.mjs';

const ROOT = join(import.meta.dirname, '..', '..');

test('a file is named that costs more than it may, and no other', () => {
  const seconds = new Map([
    ['server/test/api/zones.test.ts', 10.1],
    ['server/test/api/users-get.test.ts', 10],
    ['server/test/sweeps/errors.test.ts', 10.1],
    ['server/test/scale/texts.test.ts', 10.1],
    ['server/test/faults/mail.test.ts', 60.1],
  ]);
  expect(overBudget(seconds)).toEqual([
    'server/test/api/zones.test.ts cost 10.1 s of CPU, and may cost 10 s (tools/gate/budgets.mjs)',
    'server/test/faults/mail.test.ts cost 60.1 s of CPU, and may cost 60 s (tools/gate/budgets.mjs)',
  ]);
});

test('nothing that ran is over no budget', () => expect(overBudget(new Map())).toEqual([]));

test('every exception is a file, has a reason, and is more than the usual figure', () => {
  expect(EXCEPTIONS.length).toBeGreaterThan(0);
  const usual = budgetOf('server/test/api/any.test.ts');
  const faulty = EXCEPTIONS.filter(
    ([path, seconds, reason]) => !existsSync(join(ROOT, path)) || seconds <= usual || reason.length < 20,
  );
  expect(faulty).toEqual([]);
});
