import { describe, expect, test } from 'vitest';
import { readParameters } from './parameter-rules.ts';
import { readAcr, readPrompt, refusalOfChallenge, refusalOfNonce, refusalOfState } from './request-rules.ts';

const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

describe('parameters', () => {
  test('each may come once, also when it is not known (attack 62)', () => {
    expect(
      readParameters([
        ['state', 'a'],
        ['state', 'a'],
      ]),
    ).toEqual({ refused: 'duplicateParameters' });
    expect(
      readParameters([
        ['x', '1'],
        ['x', ''],
      ]),
    ).toEqual({ refused: 'duplicateParameters' });
  });

  test('without a value it was not sent, and what is not known is not read', () => {
    expect(
      readParameters([
        ['state', ''],
        ['nonce', 'n'],
        ['client_secret', 's'],
      ]),
    ).toEqual({ nonce: 'n' });
    expect(
      readParameters([
        ['toString', 'x'],
        ['__proto__', 'y'],
      ]),
    ).toEqual({});
  });

  test('none is longer than it may be', () => {
    expect(readParameters([['state', 'x'.repeat(4_096)]])).toEqual({ state: 'x'.repeat(4_096) });
    expect(readParameters([['state', 'x'.repeat(4_097)]])).toMatchObject({ refused: 'invalidRequest' });
  });
});

describe('the code challenge', () => {
  const read = (challenge: string | undefined, method: string | undefined, isRequired = true) =>
    refusalOfChallenge(
      {
        ...(challenge === undefined ? {} : { code_challenge: challenge }),
        ...(method === undefined ? {} : { code_challenge_method: method }),
      },
      isRequired,
    )?.refused ?? null;

  test.each([
    [CHALLENGE, 'S256', true, null],
    [CHALLENGE, 'S256', false, null],
    [undefined, undefined, false, null],
    [undefined, undefined, true, 'pkceMissingChallenge'],
    [undefined, 'S256', false, 'pkceMissingChallenge'],
    [CHALLENGE, undefined, false, 'pkceUnsupportedMethod'],
    [CHALLENGE, 'plain', false, 'pkceUnsupportedMethod'],
    [CHALLENGE, 's256', false, 'pkceUnsupportedMethod'],
    [CHALLENGE.slice(1), 'S256', false, 'pkceInvalidChallenge'],
    [`${CHALLENGE}a`, 'S256', false, 'pkceInvalidChallenge'],
    ['x'.repeat(129), 'S256', false, 'pkceInvalidChallenge'],
    [CHALLENGE.replace('-', '+'), 'S256', false, 'pkceInvalidChallenge'],
  ])('%s by %s, required %s: %s', (challenge, method, isRequired, refused) => {
    expect(read(challenge, method, isRequired)).toBe(refused);
  });
});

test.each([
  [{ state: 'x' }, null],
  [{ code_challenge: CHALLENGE }, null],
  [{}, { refused: 'invalidState' }],
])('protection against forged requests by %j', (parameters, refusal) => {
  expect(refusalOfState(parameters)).toEqual(refusal);
});

test('a nonce is needed where an ID token comes with the answer', () => {
  expect(refusalOfNonce({}, ['code'])).toBeNull();
  expect(refusalOfNonce({}, ['code', 'token'])).toBeNull();
  expect(refusalOfNonce({}, ['id_token'])).toEqual({ refused: 'invalidNonce' });
  expect(refusalOfNonce({ nonce: 'n' }, ['code', 'id_token'])).toBeNull();
});

describe('prompt and max_age', () => {
  test.each([
    [{}, { isNone: false, words: [], maximumAgeSeconds: null }],
    [{ prompt: 'none' }, { isNone: true, words: ['none'], maximumAgeSeconds: null }],
    [
      { prompt: 'login', max_age: '0' },
      { isNone: false, words: ['login'], maximumAgeSeconds: 0 },
    ],
    [{ prompt: 'consent login' }, { isNone: false, words: ['login', 'consent'], maximumAgeSeconds: null }],
    [{ prompt: 'select_account' }, { isNone: false, words: ['select_account'], maximumAgeSeconds: null }],
    [{ prompt: 'login consent' }, { isNone: false, words: ['login', 'consent'], maximumAgeSeconds: null }],
    [{ max_age: '2147483647' }, { isNone: false, words: [], maximumAgeSeconds: 2_147_483_647 }],
  ])('%j is understood', (parameters, prompt) => {
    expect(readPrompt(parameters)).toEqual(prompt);
  });

  test.each([
    [{ prompt: 'none login' }, 'invalidPrompt'],
    [{ prompt: 'none consent' }, 'invalidPrompt'],
    [{ prompt: 'none select_account' }, 'invalidPrompt'],
    [{ prompt: 'login consent none' }, 'invalidPrompt'],
    [{ prompt: 'None' }, 'invalidPrompt'],
    [{ max_age: '-1' }, 'invalidMaxAge'],
    [{ max_age: '1.5' }, 'invalidMaxAge'],
    [{ max_age: '2147483648' }, 'invalidMaxAge'],
    [{ max_age: 'x' }, 'invalidMaxAge'],
    [{ prompt: 'none', max_age: '0' }, 'promptNoneWithZeroMaxAge'],
  ])('%j is refused', (parameters, refused) => {
    expect(readPrompt(parameters)).toMatchObject({ refused });
  });
});

describe('levels of assurance', () => {
  test.each([
    [undefined, null],
    ['1 2 silver', null],
    ['urn:svc:loa:1fa:any', 'urn:svc:loa:1fa:any'],
    ['urn:svc:loa:2fa:any urn:svc:loa:1fa:pwd', 'urn:svc:loa:1fa:pwd'],
    ['urn:other:loa:2fa:any', null],
  ])('%s: %s', (given, acr) => {
    expect(readAcr(given === undefined ? {} : { acr_values: given }, 'svc')).toEqual({ acr });
  });

  test.each(['urn:svc:loa:2fa:any', 'phr', 'phrh silver'])('%s is out of reach', (given) => {
    expect(readAcr({ acr_values: given }, 'svc')).toEqual({ refused: 'unsupportedAssurance' });
  });
});
