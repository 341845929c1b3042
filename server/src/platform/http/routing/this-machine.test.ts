import { describe, expect, test } from 'vitest';
import { isFromThisMachine, type Whereabouts } from './this-machine.ts';

const from = (given: Partial<Whereabouts>): boolean =>
  isFromThisMachine({ peer: '127.0.0.1', isPeerProxy: false, forwardedFor: undefined, forwarded: undefined, ...given });

describe('isFromThisMachine', () => {
  test.each(['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1'])('a peer at %s', (peer) => {
    expect(from({ peer })).toBe(true);
    expect(from({ peer, forwardedFor: '127.0.0.1, ::1' })).toBe(true);
    expect(from({ peer, isPeerProxy: true, forwardedFor: '127.0.0.1' })).toBe(true);
  });

  test.each(['192.0.2.1', '10.0.0.1', '::2', '::ffff:10.0.0.1', '128.0.0.1', '', 'localhost'])(
    'no peer at %j',
    (peer) => {
      expect(from({ peer })).toBe(false);
      expect(from({ peer, isPeerProxy: true, forwardedFor: '127.0.0.1' })).toBe(false);
    },
  );

  test.each(['203.0.113.7', '127.0.0.1, 203.0.113.7', '203.0.113.7, 127.0.0.1', '', 'unknown', '127.0.0.1,'])(
    'nobody for whom a proxy here, listed or not, forwards %j',
    (forwardedFor) => {
      expect(from({ forwardedFor })).toBe(false);
      expect(from({ forwardedFor, isPeerProxy: true })).toBe(false);
    },
  );

  test('nobody for whom a listed proxy speaks without saying who it is', () => {
    expect(from({ isPeerProxy: true })).toBe(false);
    expect(from({ forwarded: 'for=127.0.0.1' })).toBe(false);
  });
});
