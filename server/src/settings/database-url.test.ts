import { expect, test } from 'vitest';
import { serversIn, withFirstServer } from './database-url.ts';

test('several servers, each with the default port unless it has its own', () => {
  const url = 'postgres://ada:se,c@ret@one.example:5433,[2001:db8::1],two/app?sslmode=require';
  expect(serversIn(url)).toEqual([
    { host: 'one.example', port: 5433 },
    { host: '2001:db8::1', port: 5432 },
    { host: 'two', port: 5432 },
  ]);
  expect(withFirstServer(url)).toBe('postgres://ada:se,c@ret@one.example:5433/app?sslmode=require');
});

test.each([
  'postgres://ada:se,cret@one.example/app',
  'postgresql:///app?host=/run/postgresql',
  'postgresql://ada@/app?host=/run/postgresql',
])('%s has one server, and stays as it is', (url) => {
  expect(serversIn(url)).toEqual([]);
  expect(withFirstServer(url)).toBe(url);
});
