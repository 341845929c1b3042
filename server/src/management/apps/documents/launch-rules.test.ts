import { describe, expect, test } from 'vitest';
import { loginAddress } from './launch-rules.ts';

describe('loginAddress', () => {
  const issuer = 'https://acme.example';
  const told = 'iss=https%3A%2F%2Facme.example';

  test.each([
    ['https://app.example/in', `https://app.example/in?${told}`],
    ['https://app.example/in?a=b%20c', `https://app.example/in?a=b%20c&${told}`],
    ['https://app.example/in?', `https://app.example/in?${told}`],
    ['https://app.example/in?a=b&', `https://app.example/in?a=b&${told}`],
    ['https://app.example/in#a?b#c', `https://app.example/in?${told}#a?b#c`],
  ])('%s tells the issuer, and keeps the rest', (address, expected) => {
    expect(loginAddress(address, issuer)).toBe(expected);
  });
});
