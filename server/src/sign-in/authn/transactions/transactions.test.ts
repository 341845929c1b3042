import { expect, test } from 'vitest';
import { deviceHashOf } from './transactions.ts';

const client = {
  ipAddress: null,
  ipChain: [],
  userAgent: { rawUserAgent: null, os: 'Unknown', browser: 'UNKNOWN' },
  device: 'Unknown',
  deviceFingerprint: 'f'.repeat(64),
  acceptLanguage: null,
};

test('the fingerprint that events show of a cookie is no known device as a header', () => {
  const byHeader = deviceHashOf({ client });
  const byCookie = deviceHashOf({ client: { ...client, isDeviceOfCookie: true } });
  expect(byHeader).toHaveLength(32);
  expect(byCookie).toHaveLength(32);
  expect(byCookie).not.toEqual(byHeader);
});

test.each([null, ''])('%j names no device', (deviceFingerprint) => {
  expect(deviceHashOf({ client: { ...client, deviceFingerprint } })).toBeNull();
});
