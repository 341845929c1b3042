import { expect, test } from 'vitest';
import { createGeography } from './geography.ts';

test('an address of both families is in its country; a private one is nowhere', () => {
  const { countryOf } = createGeography();
  expect(countryOf('8.8.8.8')).toBe('US');
  expect(countryOf('2001:4860:4860::8888')).toBe('US');
  expect(countryOf('193.0.6.139')).toBe('NL');
  expect(countryOf('10.0.0.1')).toBeNull();
  expect(countryOf('::1')).toBeNull();
});
