import { expect, test } from 'vitest';
import { loadConfig } from '../settings/config.ts';
import { poolSizesOf } from './pool-sizes.ts';

const sumOf = (connections: number): number => {
  const { queries, relay, requests } = poolSizesOf(connections);
  return requests + queries + relay;
};

test('the pools together have as many connections as are set, and none is empty', () => {
  for (let connections = 4; connections <= 500; connections += 1) {
    expect(sumOf(connections)).toBe(connections);
    for (const size of Object.values(poolSizesOf(connections))) expect(size).toBeGreaterThanOrEqual(1);
  }
});

test('most connections are for requests', () => {
  expect(poolSizesOf(20)).toEqual({ requests: 14, queries: 4, relay: 2 });
  expect(poolSizesOf(8)).toEqual({ requests: 4, queries: 2, relay: 2 });
});

test('the smallest size that may be set is one that can be divided', () => {
  expect(() => loadConfig({ GATEHOUSE_DATABASE_POOL_SIZE: '3' })).toThrow('from 4 to');
  expect(sumOf(loadConfig({ GATEHOUSE_DATABASE_POOL_SIZE: '4' }).databasePoolSize)).toBe(4);
});
