import { describe, expect, test } from 'vitest';
import { readRedirectUrl, senderOf } from './redirect-rules.ts';

describe('the address to send to', () => {
  test.each([
    ['https://a.example/x?y#z', 'https://a.example/x?y#z', 'https://a.example'],
    ['HTTPS://A.example:443', 'https://a.example/', 'https://a.example'],
    ['http://localhost:3000/', 'http://localhost:3000/', 'http://localhost:3000'],
    // Addresses are compared in the form in which browsers read them.
    ['https:\\\\a.example\\x', 'https://a.example/x', 'https://a.example'],
    ['https://a.example\\@b.example/', 'https://a.example/@b.example/', 'https://a.example'],
    ['https://a.example/\r\nSet-Cookie: x', 'https://a.example/Set-Cookie:%20x', 'https://a.example'],
  ])('%j', (text, href, origin) => {
    expect(readRedirectUrl(text)).toEqual({ href, origin });
  });

  test.each([
    undefined,
    '',
    '/x',
    '//a.example',
    'javascript:x',
    'file:///x',
    'https://',
    'https://u@a.example',
    'https://:p@a.example',
  ])('%j is none', (text) => {
    expect(() => readRedirectUrl(text)).toThrow('Api validation failed: redirectUrl');
  });
});

describe('who sends a browser here', () => {
  const OWN = 'https://acme.example';
  const page = { 'sec-fetch-dest': 'document' };

  test.each([
    [{}, 'own'],
    [{ referer: `${OWN}/x` }, 'own'],
    [{ origin: OWN, referer: `${OWN}/x` }, 'own'],
    [{ referer: 'https://b.example/x' }, { origin: 'https://b.example' }],
    [{ origin: 'https://b.example' }, { origin: 'https://b.example' }],
    [{ origin: 'https://b.example', referer: `${OWN}/x` }, { origin: 'https://b.example' }],
    [{ origin: OWN, referer: 'https://b.example/x' }, { origin: 'https://b.example' }],
    [{ origin: 'null' }, 'unknown'],
    [{ origin: 'null', referer: `${OWN}/x` }, 'unknown'],
    [{ referer: 'about:blank#x' }, 'unknown'],
    [{ referer: '' }, 'unknown'],
    [{ 'sec-fetch-site': 'none' }, 'unknown'],
    [{ ...page, 'sec-fetch-site': 'none' }, 'unknown'],
    [{ ...page, 'sec-fetch-site': 'same-origin' }, 'own'],
    [{ ...page, 'sec-fetch-site': 'same-site', referer: `${OWN}/x` }, 'own'],
    [{ ...page, 'sec-fetch-site': 'cross-site', referer: 'https://b.example/x' }, { origin: 'https://b.example' }],
    [{ ...page, 'sec-fetch-site': 'cross-site' }, 'unknown'],
    [{ ...page, 'sec-fetch-site': 'cross-site', referer: 'x' }, 'unknown'],
    [{ 'sec-fetch-dest': 'iframe', 'sec-fetch-site': 'same-origin' }, 'unknown'],
    [{ 'sec-fetch-dest': 'image', 'sec-fetch-site': 'cross-site', referer: `${OWN}/` }, 'unknown'],
  ])('%j: %j', (headers, sender) => {
    expect(senderOf(headers, OWN)).toEqual(sender);
  });
});
