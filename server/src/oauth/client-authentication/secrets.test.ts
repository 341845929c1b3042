import { expect, test } from 'vitest';
import { hashSecret } from '../../platform/crypto/index.ts';
import { isSecretOf } from './secrets.ts';

test('a secret is one of those that were registered, whole', () => {
  const hashes = [hashSecret('one'), hashSecret('two')];
  expect(isSecretOf('one', hashes)).toBe(true);
  expect(isSecretOf('two', hashes)).toBe(true);
  for (const secret of ['', 'on', 'one ', 'One', 'three']) expect(isSecretOf(secret, hashes)).toBe(false);
  expect(isSecretOf('one', [])).toBe(false);
  expect(isSecretOf('one', [Buffer.alloc(0), Buffer.from('one')])).toBe(false);
});
