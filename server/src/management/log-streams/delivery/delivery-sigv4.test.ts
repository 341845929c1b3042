import { describe, expect, test } from 'vitest';
import { type AwsRequest, signAwsRequest, signingKeyOf } from './delivery-sigv4.ts';

// The test vectors come from AWS.

const SECRET = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY';
const CREDENTIALS = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: SECRET, sessionToken: null };
const SUITE: AwsRequest = {
  method: 'GET',
  url: 'https://example.amazonaws.com/',
  headers: {},
  body: '',
  region: 'us-east-1',
  service: 'service',
  now: new Date('2015-08-30T12:36:00Z'),
};

const authorizationOf = (given: Partial<AwsRequest>, sessionToken: string | null = null): string | undefined =>
  signAwsRequest({ ...CREDENTIALS, sessionToken }, { ...SUITE, ...given })['Authorization'];

describe('the test suite of AWS', () => {
  test.each<[string, Partial<AwsRequest>, string, string]>([
    ['get-vanilla', {}, 'host;x-amz-date', '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'],
    [
      'get-vanilla-query-order-key-case',
      { url: `${SUITE.url}?Param2=value2&Param1=value1` },
      'host;x-amz-date',
      'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
    ],
    [
      'get-header-key-duplicate',
      { headers: { 'My-Header1': 'value2,value2,value1' } },
      'host;my-header1;x-amz-date',
      'c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea',
    ],
    [
      'get-header-value-multiline',
      { headers: { 'My-Header1': ' value1,value2,value3 ' } },
      'host;my-header1;x-amz-date',
      'ba17b383a53190154eb5fa66a1b836cc297cc0a3d70a5d00705980573d8ff790',
    ],
    [
      'post-vanilla',
      { method: 'POST' },
      'host;x-amz-date',
      '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b',
    ],
    [
      'post-x-www-form-urlencoded',
      {
        method: 'POST',
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
        body: 'Param1=value1',
      },
      'content-type;host;x-amz-date',
      'ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a',
    ],
  ])('%s', (_, request, names, signature) => {
    const credential = 'AKIDEXAMPLE/20150830/us-east-1/service/aws4_request';
    expect(authorizationOf(request)).toBe(
      `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names}, Signature=${signature}`,
    );
  });
});

describe('the example of the documentation', () => {
  test('ListUsers of IAM has the documented signature', () => {
    const authorization = authorizationOf({
      url: 'https://iam.amazonaws.com/?Action=ListUsers&Version=2010-05-08',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded; charset=utf-8' },
      service: 'iam',
    });
    expect(authorization).toContain('Signature=5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7');
  });

  test('the signing key is the documented one', () => {
    expect(signingKeyOf(SECRET, '20150830', 'us-east-1', 'iam').toString('hex')).toBe(
      'c4afb1cc5771d871763a393e44b703571b55cc28424d1a5e86da6ed3c154a4b9',
    );
  });
});

test('the token of temporary credentials is sent and signed', () => {
  const signed = signAwsRequest({ ...CREDENTIALS, sessionToken: 'a token' }, SUITE);
  expect(signed['X-Amz-Security-Token']).toBe('a token');
  expect(signed['Authorization']).toContain('SignedHeaders=host;x-amz-date;x-amz-security-token,');
  expect(signed['Authorization']).not.toBe(authorizationOf({}, 'another token'));
});

test('nothing of the secret is in what is sent', () => {
  expect(JSON.stringify(signAwsRequest(CREDENTIALS, SUITE))).not.toContain(SECRET);
});
