import { expect, test } from 'vitest';
import { keyImageOf, keyUriOf } from './key-uri.ts';

const SECRET = Buffer.from('12345678901234567890');
const NAMES = { issuer: 'acme.example:8443', account: 'Ada Löve+1@example.com' };

test('the URI has the parameters that authenticator apps read', () => {
  expect(keyUriOf(SECRET, NAMES)).toBe(
    'otpauth://totp/acme.example%3A8443:Ada%20L%C3%B6ve%2B1%40example.com' +
      '?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=acme.example%3A8443&algorithm=SHA1&digits=6&period=30',
  );
});

test('the image is a GIF, also with the longest login', () => {
  for (const account of [NAMES.account, '中'.repeat(256)]) {
    const image = keyImageOf(SECRET, { ...NAMES, account });
    expect(image).toMatch(/^data:image\/gif;base64,R0lGOD/);
  }
});
