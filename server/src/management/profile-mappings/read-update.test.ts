import { describe, expect, test } from 'vitest';
import type { AttributeSight } from '../../access/index.ts';
import { ApiError } from '../../kernel/errors/errors.ts';
import type { ProfileAttribute } from '../schemas/index.ts';
import type { Direction } from './default-properties.ts';
import { readMappingUpdate } from './read-update.ts';

const text = { type: 'string' } as ProfileAttribute;
const schema = new Map(['city', 'ssn', 'nick'].map((name) => [name, text]));
const part: AttributeSight = { reach: 'part', shows: (name) => name !== 'ssn' };
const nothing: AttributeSight = { reach: 'nothing', shows: () => false };

function update(properties: object, direction: Direction, sight: AttributeSight): unknown {
  const current = { nick: { expression: 'user.ssn', pushStatus: 'DONT_PUSH' } } as const;
  try {
    return readMappingUpdate(
      { properties: { ...properties } },
      current,
      { source: schema, target: schema },
      {
        direction,
        sight,
      },
    );
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return error.causes.map(({ errorSummary }) => errorSummary).join('\n');
  }
}

describe('an author of mappings', () => {
  test('knows the attributes that he sees, and leaves alone what he does not name', () => {
    expect(update({ city: { expression: 'user.city' } }, 'TO_APP_USER', part)).toMatchObject({
      nick: { expression: 'user.ssn' },
    });
    for (const expression of ['user.ssn', 'source.ssn']) {
      expect(update({ city: { expression } }, 'TO_APP_USER', part)).toContain("Unknown attribute 'ssn'");
    }
    expect(update({ city: { expression: 'user.city' } }, 'TO_APP_USER', nothing)).toContain("Unknown attribute 'city'");
  });

  test('changes no mapping that reads more', () => {
    expect(update({ nick: { pushStatus: 'PUSH' } }, 'TO_APP_USER', part)).toContain("Unknown attribute 'ssn'");
    expect(update({ nick: null }, 'TO_APP_USER', part)).toEqual({});
  });

  test('makes nothing of what an app made of an attribute, unless he sees them all', () => {
    const named = { city: { expression: 'appuser.city' } };
    expect(update(named, 'TO_USER', part)).toContain("Unknown attribute 'city'");
    expect(update(named, 'TO_USER', { reach: 'whole', shows: () => true })).toMatchObject(named);
  });
});
