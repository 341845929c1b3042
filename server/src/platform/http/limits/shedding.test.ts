import { describe, expect, test } from 'vitest';
import { RATE_LIMIT_BUCKETS, type RateLimitBucket } from './rate-limit-buckets.ts';
import { refusalOf, type Shedding } from './shedding.ts';

const BUCKETS = Object.keys(RATE_LIMIT_BUCKETS) as RateLimitBucket[];
const waiting = (shedding: Shedding): string[] =>
  BUCKETS.filter((bucket) => refusalOf(shedding, { method: 'POST', bucket }) !== null);

describe('changes that wait', () => {
  test('are none while all is well', () => {
    expect(waiting('none')).toEqual([]);
  });

  test('are the administrative ones first: signing in, tokens and sessions go on', () => {
    expect(waiting('administrative')).toEqual(['users', 'user', 'logs', 'clients', 'management']);
  });

  test('are those too when it gets worse', () => {
    expect(waiting('everything')).toEqual([
      'users',
      'user',
      'logs',
      'authn',
      'sessions',
      'oauth',
      'authorize',
      'clients',
      'management',
    ]);
  });

  test.each(['POST', 'PUT', 'PATCH', 'DELETE'] as const)('come by %s, and are told when to come back', (method) => {
    const refusal = refusalOf('administrative', { method, bucket: 'users' });
    expect(refusal).toMatchObject({ code: 'E0000181', status: 503, headers: { 'retry-after': '10' } });
  });

  test('are never reads', () => {
    expect(BUCKETS.map((bucket) => refusalOf('everything', { method: 'GET', bucket }))).toEqual(
      BUCKETS.map(() => null),
    );
    expect(refusalOf('everything', { method: 'POST', bucket: 'oauth', readOnly: true })).toBeNull();
  });

  test('are reads that leave rows, when it gets worst', () => {
    const reading = { method: 'GET', bucket: 'oauth', writes: true } as const;
    expect(refusalOf('everything', reading)).toMatchObject({ code: 'E0000181', status: 503 });
    expect(refusalOf('administrative', reading)).toBeNull();
  });
});
