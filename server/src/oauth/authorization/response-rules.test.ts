import { describe, expect, test } from 'vitest';
import { modeOfErrors, partsOf, RESPONSE_TYPES, readResponseMode, readResponseType } from './response-rules.ts';

const WORD = { word: 'svc' };
const all = {
  responseTypes: ['code', 'id_token', 'token'],
  grantTypes: ['authorization_code', 'implicit'],
};
const codeOnly = { responseTypes: ['code'], grantTypes: ['authorization_code'] };

describe('the response type', () => {
  test.each([...RESPONSE_TYPES, 'token id_token', 'id_token code'])('%s is known, in whatever order', (type) => {
    expect(readResponseType({ response_type: type }, all)).toEqual({ parts: partsOf(type) });
  });

  test.each(['', 'none', 'code code', 'code  token', 'CODE', 'code token x', 'code,token'])('%j is none', (type) => {
    expect(partsOf(type)).toBeNull();
    expect(readResponseType({ response_type: type }, all)).toMatchObject({ refused: 'unsupportedResponseType' });
  });

  test('a client gets what it is registered for alone', () => {
    expect(readResponseType({ response_type: 'id_token' }, codeOnly)).toMatchObject({
      refused: 'unsupportedResponseType',
      description: expect.stringContaining('[code]'),
    });
    const withoutGrant = { ...all, grantTypes: ['authorization_code'] };
    expect(readResponseType({ response_type: 'code token' }, withoutGrant)).toMatchObject({
      refused: 'unauthorizedClient',
    });
    expect(readResponseType({}, all)).toMatchObject({ refused: 'missingParameter' });
  });
});

describe('the response mode', () => {
  const read = (mode: string | undefined, type: string, redirectUri = 'https://app.example/cb') =>
    readResponseMode(
      { redirect_uri: redirectUri, ...(mode === undefined ? {} : { response_mode: mode }) },
      partsOf(type) ?? [],
      WORD,
    );

  test.each([
    [undefined, 'code', 'query'],
    [undefined, 'code token', 'fragment'],
    ['fragment', 'code', 'fragment'],
    ['form_post', 'id_token', 'form_post'],
    ['svc_post_message', 'code', 'post_message'],
  ])('%s for %s: %s', (given, type, mode) => {
    expect(read(given, type)).toEqual({ mode });
  });

  test.each([
    ['query', 'id_token', 'queryModeWithTokens'],
    ['query', 'code token', 'queryModeWithTokens'],
    ['post_message', 'code', 'unsupportedResponseMode'],
    ['okta_post_message', 'code', 'unsupportedResponseMode'],
    ['jwt', 'code', 'unsupportedResponseMode'],
  ])('%s for %s is refused', (given, type, refused) => {
    expect(read(given, type)).toMatchObject({ refused });
  });

  test.each(['form_post', 'svc_post_message'])('%s needs an address, not a scheme of an app', (mode) => {
    expect(read(mode, 'code', 'com.example.app:/cb')).toMatchObject({ refused: 'unsupportedResponseMode' });
  });

  test.each([
    [{ response_type: 'code', response_mode: 'form_post' }, 'form_post'],
    [{ response_type: 'id_token', response_mode: 'query' }, 'fragment'],
    [{ response_type: 'nonsense' }, 'query'],
    [{}, 'query'],
  ])('errors of %j go by %s', (parameters, mode) => {
    expect(modeOfErrors({ redirect_uri: 'https://app.example/cb', ...parameters }, WORD)).toBe(mode);
  });
});
