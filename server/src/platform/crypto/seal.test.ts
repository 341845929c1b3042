import { assert, property, string, uint8Array } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { masterKeyOf, withPrevious } from './master-key.ts';
import { SealError, type SealedPlace, seal, sealingKeyId, unseal, unsealText } from './seal.ts';

const key = masterKeyOf(Buffer.alloc(32, 1));
const place: SealedPlace = { orgId: '00o1', table: 'signing_keys', column: 'private_key', row: 'k1' };

test('what was sealed comes back, for every text and place', () => {
  assert(
    property(uint8Array(), string(), string(), (plaintext, orgId, row) => {
      const here = { ...place, orgId, row };
      expect(unseal(key, here, seal(key, here, plaintext)).equals(Buffer.from(plaintext))).toBe(true);
    }),
  );
  expect(unsealText(key, place, seal(key, place, 'geheim – ü'))).toBe('geheim – ü');
});

test('the same value is sealed differently each time, and names its key', () => {
  const [one, other] = [seal(key, place, 'x'), seal(key, place, 'x')];
  expect(one.equals(other)).toBe(false);
  expect(one).toHaveLength(1 + 8 + 12 + 1 + 16);
  expect(sealingKeyId(one)).toBe(key.id);
});

test('while a key takes the place of another, both open and the new one seals', () => {
  const [before, after] = [masterKeyOf(Buffer.alloc(32, 2)), masterKeyOf(Buffer.alloc(32, 3))];
  const both = withPrevious(after, before);
  expect(unsealText(both, place, seal(before, place, 'x'))).toBe('x');
  expect(sealingKeyId(seal(both, place, 'x'))).toBe(after.id);
  expect(unsealText(both, place, seal(both, place, 'x'))).toBe('x');
  expect(() => unsealText(both, place, seal(key, place, 'x'))).toThrow(SealError);
  expect(() => unsealText(after, place, seal(before, place, 'x'))).toThrow(SealError);
});

describe('a sealed value is good', () => {
  const sealed = seal(key, place, 'secret');

  test.each<Partial<SealedPlace>>([
    { orgId: '00o2' },
    { table: 'other' },
    { column: 'other' },
    { row: 'k2' },
    { orgId: '00o1s', table: 'igning_keys' },
  ])('nowhere else: %j', (elsewhere) => {
    expect(() => unseal(key, { ...place, ...elsewhere }, sealed)).toThrow(SealError);
  });

  test('with no bit changed', () => {
    for (let index = 0; index < sealed.length; index += 1) {
      const changed = Buffer.from(sealed);
      changed.writeUInt8(changed.readUInt8(index) ^ 1, index);
      expect(() => unseal(key, place, changed), `byte ${index}`).toThrow(SealError);
    }
  });

  test('whole', () => {
    for (const length of [0, 1, 36, sealed.length - 1]) {
      expect(() => unseal(key, place, sealed.subarray(0, length)), `${length}`).toThrow(SealError);
    }
  });

  test('for its own key, and says which that is', () => {
    const other = masterKeyOf(Buffer.alloc(32, 2));
    expect(() => unseal(other, place, sealed)).toThrow(`Sealed with key ${key.id}, but the master key is ${other.id}`);
  });
});
