import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { keywordsOf, pairToken, presenceToken, searchTermsOf, wordToken } from './search-terms.ts';

test('stored hashes stay what they are: changing them would hide every event stored before', () => {
  expect([wordToken('00o1', 'ada'), pairToken('00o1', 'severity', 'WARN'), presenceToken('00o1', 'device.id')]).toEqual(
    PINNED,
  );
});
const PINNED = [1537551227, 305914895, -675422256];

test('the same word of another org, and a word that reads like a pair, are other tokens', () => {
  expect(wordToken('00o1', 'ada')).not.toBe(wordToken('00o2', 'ada'));
  expect(wordToken('00o1', 'severity=WARN')).not.toBe(pairToken('00o1', 'severity', 'WARN'));
});

test.each([
  ['one two', ['one', 'two']],
  ['  Tabs\tand\nlines ', ['tabs', 'and', 'lines']],
  ['new-york', ['new-york', 'new', 'york']],
  ['-lead--trail-', ['-lead--trail-', 'lead', 'trail']],
  ['user.lifecycle.create', ['user.lifecycle.create']],
  ['ÄRGER', ['ärger']],
  ['', []],
  [`${'x'.repeat(41)} ${'y'.repeat(40)}`, ['y'.repeat(40)]],
  [`${'x'.repeat(40)}-part`, ['x'.repeat(40), 'part']],
])('keywords of %j', (text, keywords) => {
  expect(keywordsOf(text)).toEqual(keywords);
});

const org = '00o1';
const event = {
  eventType: 'user.session.start',
  device: null,
  target: [
    { id: 'a', displayName: 'Ada L', changeDetails: { from: { city: 'secret' }, to: { city: 'other' } } },
    { id: 'b' },
  ],
  debugContext: { debugData: { risk: 'HIGH', empty: '' } },
  authenticationContext: { authenticationStep: 0 },
  securityContext: { isProxy: false, asNumber: 64_500 },
  severity: 'INFO',
  outcome: { result: 'FAILURE' },
  transaction: { id: 'reqAbc' },
};

test.each([
  ['a word', wordToken(org, 'ada')],
  ['the first target', pairToken(org, 'target.id', 'a')],
  ['the second target', pairToken(org, 'target.id', 'b')],
  ['presence', presenceToken(org, 'debugContext.debugData.risk')],
  ['a number', pairToken(org, 'securityContext.asNumber', '64500')],
  ['a value that is rare', pairToken(org, 'outcome.result', 'FAILURE')],
  ['the word of a name', wordToken(org, 'reqabc')],
  ['a boolean', pairToken(org, 'securityContext.isProxy', 'false')],
])('has %s', (_, token) => {
  expect(searchTermsOf(org, event)).toContain(token);
});

test.each([
  ['what is empty', presenceToken(org, 'debugContext.debugData.empty')],
  ['what is null', presenceToken(org, 'device')],
  ['a value that nearly every event has', pairToken(org, 'severity', 'INFO')],
  ['presence where nearly every event has it', presenceToken(org, 'target.id')],
  ['values before and after', wordToken(org, 'secret')],
  ['a pair of a column with an index', pairToken(org, 'eventType', 'user.session.start')],
])('lacks %s', (_, token) => {
  expect(searchTermsOf(org, event)).not.toContain(token);
});

test('no token stands twice', () => {
  const tokens = searchTermsOf(org, { a: 'x x X', b: 'x' });
  expect(new Set(tokens).size).toBe(tokens.length);
});

test('where a value is a name, its word is its pair; where it is no word, it has one of its own', () => {
  expect(pairToken(org, 'transaction.id', 'reqAbc')).toBe(wordToken(org, 'reqabc'));
  expect(pairToken(org, 'debugContext.debugData.url', '/a b')).not.toBe(wordToken(org, '/a b'));
  expect(pairToken(org, 'debugContext.debugData.url', 'x'.repeat(41))).not.toBe(wordToken(org, 'x'.repeat(41)));
});

test('hashing a text in one pass finds the keywords that splitting it finds', () => {
  const piece = fc.oneof(fc.string({ maxLength: 45 }), fc.constantFrom('-', ' ', '\t', 'A', 'ß', 'İ', 'a'.repeat(41)));
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 6 }), (pieces) => {
      const text = pieces.join('');
      const words = [...new Set(keywordsOf(text).map((word) => wordToken(org, word)))].sort((a, b) => a - b);
      expect(searchTermsOf(org, { published: text, target: [{ detailEntry: { a: text } }] })).toEqual(words);
    }),
  );
});

test('each of more members than are remembered has its terms, and again', () => {
  const names = Array.from({ length: 6_000 }, (_, index) => `member${index}`);
  const many = Object.fromEntries([...names, 'n'.repeat(101)].map((name) => [name, `value of ${name}`]));
  for (const orgId of [org, '00o2', org]) {
    const found = new Set(searchTermsOf(orgId, { debugContext: { debugData: many } }));
    for (const [name, value] of Object.entries(many)) {
      const path = `debugContext.debugData.${name}`;
      expect([found.has(pairToken(orgId, path, value)), found.has(presenceToken(orgId, path))]).toEqual([true, true]);
    }
  }
});
