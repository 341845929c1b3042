import { describe, expect, test } from 'vitest';
import { isFromElsewhere, isFromOwnPage } from './form-sender.ts';

const OWN = 'https://acme.localhost:8443';

describe('where a form came from', () => {
  test.each<[Record<string, string>, boolean, boolean]>([
    [{}, false, false],
    [{ origin: OWN }, false, true],
    [{ origin: OWN, 'sec-fetch-site': 'same-origin' }, false, true],
    [{ 'sec-fetch-site': 'same-origin' }, false, true],
    [{ 'sec-fetch-site': 'none' }, false, false],
    [{ origin: 'https://a.example' }, true, false],
    [{ origin: 'null', 'sec-fetch-site': 'cross-site' }, true, false],
    [{ origin: 'https://b.localhost:8443', 'sec-fetch-site': 'same-site' }, true, false],
  ])('%j', (headers, elsewhere, own) => {
    expect([isFromElsewhere(headers, OWN), isFromOwnPage(headers, OWN)]).toEqual([elsewhere, own]);
  });
});
