import { describe, expect, test } from 'vitest';
import { JWT_BEARER } from './assertion-rules.ts';
import { type ClientRequest, decodeBasic, readCredentials } from './credentials-rules.ts';

const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;
const request = (more: Partial<ClientRequest>): ClientRequest => ({
  form: {},
  authorization: undefined,
  rawQuery: [],
  ...more,
});
const assertion = { client_assertion_type: JWT_BEARER, client_assertion: 'a.b.c' };

describe('Basic', () => {
  test.each([
    [basic('id:secret'), { clientId: 'id', secret: 'secret' }],
    [basic('id:secret').replace('Basic', 'bAsIc'), { clientId: 'id', secret: 'secret' }],
    [basic('id:secret').replace('Basic', 'Basic:'), { clientId: 'id', secret: 'secret' }],
    [basic('id:a:b'), { clientId: 'id', secret: 'a:b' }],
    [basic('id'), { clientId: 'id', secret: null }],
    [basic('my.app'), { clientId: 'my.app', secret: null }],
    [basic('i'.repeat(100)), { clientId: 'i'.repeat(100), secret: null }],
    [basic('id%3A1:a+b%2B'), { clientId: 'id:1', secret: 'a b+' }],
  ])('%s is read', (header, expected) => expect(decodeBasic(header)).toEqual(expected));

  test.each([
    'Basic',
    'Basic ',
    'Bearer abc',
    'SSWS abc',
    'Basic id:secret',
    basic('id:secret1').replace('Basic ', 'Basic:'),
    basic('id:secret1').replace('Basic', 'Basic::'),
    basic('id:secret1').replace('Basic', 'Basic :'),
    basic('an id'),
    basic('i'.repeat(101)),
    basic('i%64'),
    basic(':secret'),
    basic('id:'),
    basic('id:100%'),
    basic('id:%zz'),
    basic('id:%00'),
    basic('id:%ff'),
    basic('id:ä'),
    basic('id:a\n'),
    `${basic('id:secret1')} `,
    basic('id:secret1').replace('==', ''),
    `Basic ${Buffer.from('id:secret?>').toString('base64url')}`,
    'Basic aWQ6c2VjcmV0*',
    'Basic aWQ6c2Vj cmV0',
    'Basic aWQ6c2VjcmV1eB==',
  ])('%j is refused', (header) => expect(decodeBasic(header)).toBeNull());
});

describe('what is presented', () => {
  test.each([
    ['an assertion', { form: assertion }, { method: 'assertion', clientId: null, assertion: 'a.b.c' }],
    ['an assertion with the id', { form: { ...assertion, client_id: 'id' } }, { clientId: 'id' }],
    ['a secret in the body', { form: { client_id: 'id', client_secret: 's' } }, { method: 'client_secret_post' }],
    ['a secret in the header', { authorization: basic('id:s') }, { method: 'client_secret_basic', clientId: 'id' }],
    ['an id alone in the header', { authorization: basic('id') }, { method: 'none', clientId: 'id' }],
    ['both ids the same', { authorization: basic('id:s'), form: { client_id: 'id' } }, { clientId: 'id' }],
    ['an id alone', { form: { client_id: 'id' } }, { method: 'none', clientId: 'id' }],
    ['an empty secret counts as none', { form: { client_id: 'id', client_secret: '' } }, { method: 'none' }],
    [
      'empty parameters count as absent',
      { form: { ...assertion, client_secret: '', client_id: '' } },
      { clientId: null },
    ],
  ])('%s', (_, given, expected) => expect(readCredentials(request(given))).toMatchObject(expected));

  test.each([
    ['nothing', {}, 'missingClientCredentials'],
    ['a secret without an id', { form: { client_secret: 's' } }, 'missingClientCredentials'],
    ['no assertion', { form: { client_assertion_type: JWT_BEARER, client_id: 'id' } }, 'missingClientCredentials'],
    ['no type', { form: { client_assertion: 'a.b.c' } }, 'assertionTypeInvalid'],
    ['another type', { form: { ...assertion, client_assertion_type: 'saml' } }, 'assertionTypeInvalid'],
    ['a header that is not Basic', { authorization: 'Bearer a' }, 'invalidBasicCredentials'],
    ['two ids', { authorization: basic('id:s'), form: { client_id: 'other' } }, 'invalidClientId'],
    ['two ids without a secret', { authorization: basic('id'), form: { client_id: 'other' } }, 'invalidClientId'],
    ['header and body', { authorization: basic('id:s'), form: { client_secret: 's' } }, 'multipleClientCredentials'],
    ['header and assertion', { authorization: 'Bearer a', form: assertion }, 'multipleClientCredentials'],
    ['secret and assertion', { form: { ...assertion, client_secret: 's' } }, 'multipleClientCredentials'],
    ['an id in the address', { rawQuery: [['client_id', 'id']], form: assertion }, 'clientCredentialsInQuery'],
    ['a secret in the address', { rawQuery: [['client_secret', '']] }, 'clientCredentialsInQuery'],
    ['an assertion in the address', { rawQuery: [['client_assertion', 'a']] }, 'clientCredentialsInQuery'],
  ] as const)('%s is refused', (_, given, refused) => expect(readCredentials(request(given))).toBe(refused));

  test('what an object inherits is no parameter', () => {
    expect(readCredentials(request({ form: Object.create({ client_id: 'id' }) as Record<string, string> }))).toBe(
      'missingClientCredentials',
    );
  });
});
