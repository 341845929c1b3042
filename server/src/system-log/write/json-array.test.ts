import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonArray } from './json-array.ts';

test('is the JSON array of its texts, whatever they hold', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue().map((value) => JSON.stringify(value))), (texts) => {
      expect(jsonArray(texts).toString('utf8')).toBe(`[${texts.join(',')}]`);
    }),
  );
  expect(jsonArray([]).toString()).toBe('[]');
  expect(jsonArray(['"ü"', '"\u{1f600}"', '"é"', '"a"']).toString()).toBe('["ü","\u{1f600}","é","a"]');
});
