import { expect, test } from 'vitest';
import { type ResourceRequest, readAccessToken } from './presented-access-token.ts';

const request = (more: Partial<ResourceRequest>): ResourceRequest => ({
  authorization: undefined,
  dpopProof: undefined,
  form: {},
  rawQuery: [],
  ...more,
});

test.each([
  ['Bearer abc', { scheme: 'Bearer', token: 'abc' }],
  ['bearer  abc ', { scheme: 'Bearer', token: 'abc' }],
  ['DPOP abc', { scheme: 'DPoP', token: 'abc' }],
  ['Bearer', 'accessTokenInvalid'],
  ['Bearer a b', 'accessTokenInvalid'],
  ['Basic abc', 'accessTokenInvalid'],
  ['SSWS abc', 'accessTokenInvalid'],
])('%j', (authorization, read) => expect(readAccessToken(request({ authorization }))).toEqual(read));

test('one of a form counts where no header is, none of an address ever', () => {
  const form = { access_token: 'abc' };
  expect(readAccessToken(request({ form }))).toEqual({ scheme: 'Bearer', token: 'abc' });
  expect(readAccessToken(request({ form, authorization: 'Bearer abc' }))).toBe('accessTokenTwice');
  expect(readAccessToken(request({ form, rawQuery: [['access_token', 'abc']] }))).toBe('accessTokenInQuery');
  expect(readAccessToken(request({ form: { access_token: '' } }))).toBe('accessTokenMissing');
  expect(readAccessToken(request({}))).toBe('accessTokenMissing');
});
