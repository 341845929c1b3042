import { describe, expect, test } from 'vitest';
import { projected, readProjection } from './projection-rules.ts';

const USER = { id: '1', status: 'ACTIVE', profile: { firstName: 'A', lastName: null, city: 'B' }, _links: {} };

const shown = (fields: string): unknown => {
  const projection = readProjection(fields);
  return projection === null ? USER : projected(USER, projection);
};

describe('fields', () => {
  test.each([
    ['status', { id: '1', status: 'ACTIVE' }],
    ['id', { id: '1' }],
    [
      ' status , profile:( firstName , lastName )',
      { id: '1', status: 'ACTIVE', profile: { firstName: 'A', lastName: null } },
    ],
    ['profile', { id: '1', profile: USER.profile }],
    ['profile,profile:(city)', { id: '1', profile: USER.profile }],
    ['profile:(nobodyHasThis)', { id: '1', profile: {} }],
    ['profile:()', { id: '1' }],
    ['nobodyHasThis', { id: '1' }],
    [',', { id: '1' }],
    ['', USER],
  ])('%s', (fields, expected) => {
    expect(shown(fields)).toEqual(expected);
  });

  test.each([
    'profile:(city',
    'profile:city)',
    'profile:((city))',
    'credentials:(provider)',
    'status:',
    'a(b)',
    '(',
    ')(',
  ])('%s is refused', (fields) => {
    expect(() => readProjection(fields)).toThrow('fields');
  });
});
