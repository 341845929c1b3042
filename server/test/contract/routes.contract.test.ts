import { describe, expect, test } from 'vitest';
import { allRoutes } from '../../src/all-routes.ts';
import { contractOperations, neutralScope } from '../support/contract.ts';

/** Operations of ours that the published contract does not have. */
const OWN_OPERATIONS: ReadonlySet<string> = new Set(['getStartPage']);

const published = new Map(
  contractOperations()
    .filter((operation) => operation.api === 'management')
    .map((operation) => [operation.operationId, operation]),
);
const shared = allRoutes.filter((route) => !OWN_OPERATIONS.has(route.operationId));

describe.each(shared.map((route) => [route.operationId, route] as const))('%s', (operationId, route) => {
  const operation = published.get(operationId);

  test('is published, with this method', () => {
    expect(operation?.method).toBe(route.method);
  });

  test('asks for the published scopes', () => {
    expect(route.scopes.toSorted()).toEqual((operation?.scopes ?? []).map(neutralScope).toSorted());
  });

  test('is public exactly where the contract says so', () => {
    expect(route.access === 'public').toBe(operation?.public);
  });
});

test('an own operation is one', () => {
  for (const operationId of OWN_OPERATIONS) {
    expect(published.has(operationId)).toBe(false);
    expect(allRoutes.some((route) => route.operationId === operationId)).toBe(true);
  }
});
