import { describe, expect, test } from 'vitest';
import { OAuthClientCredentialsInput, OAuthClientSettingsInput } from '../../server/src/management/apps/contract.ts';
import { DEFAULT_ORG_SETTINGS } from '../../server/src/management/orgs/settings.ts';
import { CLIENT_CREDENTIALS, CLIENT_SETTINGS, ORG_SETTINGS } from './client-setting-proofs.ts';
import { isThere } from './proof.ts';

/** Settings that change nothing. Sinks, and never rises. */
const MOST_LIMITS = 18;

interface JsonSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly anyOf?: readonly JsonSchema[];
}

const plain = (schema: object): JsonSchema => JSON.parse(JSON.stringify(schema)) as JsonSchema;

/** The places of all that a contract takes. */
function placesOf(schema: JsonSchema, place = ''): string[] {
  const schemas = schema.anyOf ?? [schema];
  const members = schemas.flatMap(({ properties = {} }) => Object.entries(properties));
  if (members.length === 0) return [place];
  return members.flatMap(([name, member]) => placesOf(member, place === '' ? name : `${place}.${name}`));
}

const TABLES = [
  ['settings of OAuth clients', CLIENT_SETTINGS, placesOf(plain(OAuthClientSettingsInput))],
  ['credentials of OAuth clients', CLIENT_CREDENTIALS, placesOf(plain(OAuthClientCredentialsInput))],
  ['settings of orgs', ORG_SETTINGS, Object.keys(DEFAULT_ORG_SETTINGS)],
] as const;

const words = TABLES.flatMap(([, table]) => Object.entries(table));

describe('every setting', () => {
  test.each(TABLES)('%s: has an effect that a test shows, or stands among the limits', (_, table, places) => {
    expect(Object.keys(table).toSorted()).toEqual(places.toSorted());
  });

  test('is shown by a test that there is', () => {
    const gone = words.filter(([, word]) => typeof word !== 'string' && !isThere(word));
    expect(gone).toEqual([]);
  });

  test('the limits only shrink', () => {
    const limits = words.map(([, word]) => word).filter((word) => typeof word === 'string');
    expect(limits).toHaveLength(MOST_LIMITS);
    for (const reason of limits) expect(reason).toMatch(/^[A-Z].{20,}\.$/);
  });
});
