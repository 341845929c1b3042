import fc from 'fast-check';
import { expect, test } from 'vitest';
import { placeholdersOf } from './placeholders.ts';

test('placeholders are what the expression finds that would take quadratic time', () => {
  const part = fc.constantFrom('${', '}', '$', '{', 'a', ' ', '${user.login}');
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
      const template = parts.join('');
      const matches = [...template.matchAll(/\$\{([^}]*)\}/g)];
      expect(placeholdersOf(template)).toEqual(
        matches.map(({ 0: whole, 1: text, index }) => ({ text, start: index, end: index + whole.length })),
      );
    }),
  );
});
