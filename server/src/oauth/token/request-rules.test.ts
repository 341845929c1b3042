import { expect, test } from 'vitest';
import { readGrantType, type TokenRequest } from './request-rules.ts';

const request = (more: Partial<TokenRequest>): TokenRequest => ({
  form: { grant_type: 'client_credentials' },
  authorization: undefined,
  rawQuery: [],
  origin: undefined,
  dpopProof: undefined,
  ...more,
});

test('a client_credentials request is judged by whose it is', () => {
  expect(readGrantType(request({}), null)).toBe('client_credentials');
  expect(readGrantType(request({ rawQuery: [['other', 'a']] }), null)).toBe('client_credentials');
});

test.each([
  ['no grant type', { form: {} }, 'missingGrantType'],
  ['an empty one', { form: { grant_type: '' } }, 'missingGrantType'],
  ['an unknown one', { form: { grant_type: 'magic' } }, 'unsupportedGrantType'],
  ['one in capitals', { form: { grant_type: 'Client_Credentials' } }, 'unsupportedGrantType'],
  ['one that objects inherit', { form: { grant_type: 'constructor' } }, 'unsupportedGrantType'],
  ['a browser', { origin: 'https://spa.example' }, 'browserGrantType'],
  ['a frame without origin', { origin: 'null' }, 'browserGrantType'],
  ['a password from a browser', { form: { grant_type: 'password' }, origin: 'https://a.example' }, 'browserGrantType'],
  ['a password in the address', { rawQuery: [['password', 'p']] }, 'invalidRequest'],
  ['a token in the address', { rawQuery: [['subject_token', 't']] }, 'invalidRequest'],
  ['an assertion in the address', { rawQuery: [['assertion', 'a']] }, 'invalidRequest'],
  ['a code in the address', { rawQuery: [['code', 'c']] }, 'invalidRequest'],
  ['credentials in the address', { rawQuery: [['client_secret', 's']] }, 'clientCredentialsInQuery'],
  ['a scope in the address', { rawQuery: [['scope', 's']] }, 'invalidRequest'],
  ['a device code in the address', { rawQuery: [['device_code', 'c']] }, 'invalidRequest'],
  ['the id of a request of a user in the address', { rawQuery: [['auth_req_id', 'c']] }, 'invalidRequest'],
  ['a parameter at both places', { rawQuery: [['grant_type', 'client_credentials']] }, 'invalidRequest'],
] as const)('%s is refused', (_, given, refused) =>
  expect(readGrantType(request(given), null)).toMatchObject({ refused }),
);

test.each(['authorization_code', 'refresh_token'])('%s may come from a browser', (grantType) => {
  const form = { grant_type: grantType };
  expect(readGrantType(request({ form, origin: 'https://a.example' }), null)).toBe(grantType);
});

test('the grant types there are stand in the text', () => {
  expect(readGrantType(request({ form: {} }), null)).toMatchObject({
    options: {
      description:
        "The token request must specify a 'grant_type'. Valid values: [authorization_code, " +
        'refresh_token, password, client_credentials, urn:ietf:params:oauth:grant-type:device_code, ' +
        'urn:ietf:params:oauth:grant-type:token-exchange, urn:openid:params:grant-type:ciba]',
    },
  });
});

test('only custom servers take assertions about users', () => {
  const asserting = request({ form: { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer' } });
  expect(readGrantType(asserting, null)).toMatchObject({ refused: 'unsupportedGrantType' });
  expect(readGrantType(asserting, {})).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer');
});
