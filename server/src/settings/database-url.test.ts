import { expect, test } from 'vitest';
import { databaseUrlProblem, namedServersIn, serversIn, withFirstServer } from './database-url.ts';

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

test('each server of a URL has a name without secrets', () => {
  expect(namedServersIn('postgres://ada:secret@one,two:5433/app').map(({ name }) => name)).toEqual([
    'one:5432',
    'two:5433',
  ]);
  expect(namedServersIn('postgres://ada:secret@one/app')).toEqual([{ name: 'one/app', address: null }]);
});

test('the URL of replicas may ask for standbys only, and that of a primary for a primary only', () => {
  const asking = (word: string) => `postgres://one,two/app?target_session_attrs=${word}`;
  for (const word of ['standby', 'read-only']) {
    expect(databaseUrlProblem(asking(word), 'replica')).toBeNull();
    expect(databaseUrlProblem(asking(word))).toContain('other than primary or read-write');
  }
  expect(databaseUrlProblem(asking('primary'), 'replica')).toContain('other than standby or read-only');
});
