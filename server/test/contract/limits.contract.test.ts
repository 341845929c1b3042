import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { coverageOf, servedIn } from '../../../tools/coverage.ts';
import { MISSING_FAMILIES } from '../../../tools/limits/operations.ts';
import { contractFamilies } from '../support/contract.ts';

const OPENAPI = fileURLToPath(new URL('../../../openapi', import.meta.url));

test('docs/limits.md says of every family what the contract has and the routes lack', () => {
  const operations = contractFamilies();
  expect(operations.length).toBeGreaterThan(900);
  const lacking = coverageOf(operations, servedIn(OPENAPI), new Map())
    .filter(({ missing }) => missing.length > 0)
    .map(({ all, family, missing, served }) => ({
      family,
      served,
      all,
      missing: served === 0 ? [] : missing.map(({ operationId }) => operationId).toSorted(),
    }));
  const told = MISSING_FAMILIES.map(({ all, family, missing, served }) => ({
    family,
    served,
    all,
    missing: missing.toSorted(),
  }));
  const byFamily = (left: { family: string }, right: { family: string }) => (left.family < right.family ? -1 : 1);
  expect(told.toSorted(byFamily)).toEqual(lacking.toSorted(byFamily));
});
