import { expect, test } from 'vitest';
import { readBatch } from '../users/import-batch.ts';
import { readAuth0User } from './auth0-format.ts';
import { readKeycloakUser } from './keycloak-format.ts';
import { readOwnLine } from './ndjson-format.ts';
import { isRefused, type ReadRow, type UserRecord } from './user-record.ts';

// The rows in these tests come from an attacker who wants to gain rights or to overload the service.

function record(row: ReadRow): UserRecord {
  if (isRefused(row)) throw new Error(JSON.stringify(row));
  return row;
}
const fieldsOf = (row: ReadRow): string[] => (isRefused(row) ? row.map(({ field }) => field) : []);

test('two passwords, of which nobody could say which one counts, are one problem, however many there are', () => {
  const passwords = Array.from({ length: 40_000 }, () => ({ type: 'password' }));
  expect(fieldsOf(readKeycloakUser(JSON.stringify({ username: 'a@b.co', credentials: passwords })))).toEqual([
    'credentials',
  ]);
});

test('attributes that every object has are names like others', () => {
  const text = '{"username":"a@b.co","attributes":{"constructor":["x"],"__proto__":["y"],"mobile":["1"]}}';
  const { profile } = record(readKeycloakUser(text));
  expect(Object.entries(profile)).toEqual([
    ['constructor', ['x']],
    ['__proto__', ['y']],
    ['mobilePhone', ['1']],
    ['login', 'a@b.co'],
  ]);
});

test('who somebody is, no attribute says that people could write themselves', () => {
  const claimed = { login: ['boss@b.co'], email: ['boss@b.co'], city: ['X'] };
  const fromKeycloak = record(readKeycloakUser(JSON.stringify({ username: 'eve', attributes: claimed })));
  expect(fromKeycloak.profile).toEqual({ login: 'eve', city: ['X'] });
  expect(fromKeycloak.leftOut).toEqual(['attributes.login', 'attributes.email']);
  const fromAuth0 = record(readAuth0User(JSON.stringify({ phone_number: '+1', user_metadata: claimed })));
  expect(fromAuth0.profile).toEqual({ mobilePhone: '+1', city: ['X'] });
  expect(fromAuth0.leftOut).toEqual(['user_metadata.login', 'user_metadata.email']);
});

test.each([['false'], ['true'], [0], [1], [[]], [{}]])(
  '%j, which is neither true nor false, opens no account',
  (value) => {
    const keycloak = (more: object) => fieldsOf(readKeycloakUser(JSON.stringify({ username: 'a@b.co', ...more })));
    const auth0 = (more: object) => fieldsOf(readAuth0User(JSON.stringify({ email: 'a@b.co', ...more })));
    expect(keycloak({ enabled: value })).toEqual(['enabled']);
    expect(keycloak({ emailVerified: value })).toEqual(['emailVerified']);
    expect(auth0({ blocked: value })).toEqual(['blocked']);
    expect(auth0({ email_verified: value })).toEqual(['email_verified']);
  },
);

test('of a row with thousands of problems the first are told, and how many there are', () => {
  const row = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`${index}${'x'.repeat(150)}`, 1]));
  const { problems } = readBatch(
    { number: 1, rows: [{ number: 3, text: JSON.stringify({ profile: {}, ...row }) }] },
    (text) => readOwnLine(text, false),
  );
  expect(problems).toHaveLength(21);
  expect(problems.at(-1)).toEqual({ row: 3, field: '', reason: 'has 4980 more problems.' });
  for (const { field } of problems) expect(field.length).toBeLessThanOrEqual(100);
});
