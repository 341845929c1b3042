import { expect, test } from 'vitest';
import { databaseNameOf } from './database-name.ts';

test.each([
  ['postgres://db.example:5433/app', 'db.example:5433/app'],
  ['postgresql://ada:secret@db.example/app?sslmode=require', 'db.example/app'],
  ['postgresql://ada@/app?host=%2Frun%2Fpostgresql&password=a@b', 'the local socket/app'],
  ['postgres://ada:se@cret@db.example/app', 'db.example/app'],
  ['postgres://ada:secret@[2001:db8::1]:5433/app', '[2001:db8::1]:5433/app'],
  ['postgres://db.example', 'db.example'],
  ['postgres://ada:se,cret@one.example:5433,[2001:db8::1],two/app', 'one.example:5433,[2001:db8::1],two/app'],
  ['postgres://ada:sec/ret@db.example/app', 'at the given address'],
  ['postgres://ada:sec?ret@db.example/app', 'at the given address'],
  ['postgres://ada:sec#ret@db.example/app', 'at the given address'],
  ['host=db.example password=secret', 'at the given address'],
])('%s is called %s', (databaseUrl, expected) => {
  expect(databaseNameOf(databaseUrl)).toBe(expected);
});
