import { describe, expect, test } from 'vitest';
import { readAuth0User } from './auth0-format.ts';
import { csvFormat } from './csv-format.ts';
import { readKeycloakUser } from './keycloak-format.ts';
import { readOwnLine } from './ndjson-format.ts';
import { valuesBySchema } from './profile-values.ts';
import { isRefused, type ReadRow, type UserRecord } from './user-record.ts';

function record(row: ReadRow): UserRecord {
  if (isRefused(row)) throw new Error(JSON.stringify(row));
  return row;
}
const fieldsOf = (row: ReadRow): string[] => (isRefused(row) ? row.map(({ field }) => field) : []);

describe('characters that the API refuses', () => {
  const face = '\u{1f600}';
  const ndjson = (value: unknown) => fieldsOf(readOwnLine(JSON.stringify(value), false));

  const schema: Parameters<typeof valuesBySchema>[2] = new Map();
  const refusedIn = (row: ReadRow) => {
    const { isText, profile } = record(row);
    return () => valuesBySchema(profile, isText, schema);
  };

  test('name the attribute, in every format', () => {
    const causes = (...names: string[]) =>
      expect.objectContaining({
        causes: names.map((name) => ({ errorSummary: `${name}: contains a character that is not supported.` })),
      });
    const line = { profile: { login: 'a@b.co', firstName: `A${face}`, tags: ['x', face] } };
    expect(refusedIn(readOwnLine(JSON.stringify(line), false))).toThrow(causes('firstName', 'tags'));
    const escaped = '{"profile":{"login":"a@b.co","lastName":"\\ud83d\\ude00"}}';
    expect(refusedIn(readOwnLine(escaped, false))).toThrow(causes('lastName'));
    const table = csvFormat('login,lastName', ',', false);
    expect(refusedIn(table.read(`a@b.co,${face}`))).toThrow(causes('lastName'));
    const user = { username: 'a@b.co', email: 'a@b.co', attributes: { phone: [face] } };
    expect(refusedIn(readKeycloakUser(JSON.stringify(user)))).toThrow(causes('mobilePhone'));
    expect(refusedIn(readAuth0User(JSON.stringify({ email: 'a@b.co', given_name: face })))).toThrow(
      causes('firstName'),
    );
  });

  test('names of groups and of attributes too', () => {
    expect(ndjson({ profile: {}, groups: ['A', face] })).toEqual(['groups']);
    expect(ndjson({ profile: { [face]: 'x' } })).toEqual(['']);
    expect(ndjson({ profile: {}, [face]: 1 })).toEqual(['']);
  });

  test('in what is left out they are not told, whole or cut in half', () => {
    const { leftOut } = record(readAuth0User(JSON.stringify({ email: 'a@b.co', [`${'x'.repeat(99)}${face}`]: 1 })));
    expect(leftOut).toEqual(['(others)']);
  });

  test('everything of three bytes is supported', () => {
    expect(record(readOwnLine('{"profile":{"login":"\u20ac\uffe6\u00e9"}}', false)).profile).toMatchObject({
      login: '\u20ac\uffe6\u00e9',
    });
  });
});
