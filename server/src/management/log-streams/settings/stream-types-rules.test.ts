import { describe, expect, test } from 'vitest';
import { LOG_STREAM_TYPES, SettingsInputSchema, STREAM_TYPES } from './stream-types-rules.ts';

const rows = LOG_STREAM_TYPES.map((type) => ({ type, ...STREAM_TYPES[type] }));

test('the members that requests may have are those of the published schemas', () => {
  const published = rows.flatMap(({ members }) => Object.keys(members));
  expect(Object.keys(SettingsInputSchema.properties).toSorted()).toEqual([...new Set(published)].toSorted());
});

describe.each(rows)('$type', ({ errors, members, required, secret }) => {
  test('requires and explains members that it has', () => {
    expect(Object.keys(members)).toEqual(expect.arrayContaining([...required, ...Object.keys(errors)]));
  });

  test('requires its secret and never shows it; every other member is shown', () => {
    const hidden = Object.keys(members).filter((member) => members[member]?.['writeOnly'] === true);
    expect(hidden).toEqual(secret === null ? [] : [secret.name]);
    expect(required).toEqual(expect.arrayContaining(hidden));
  });
});
