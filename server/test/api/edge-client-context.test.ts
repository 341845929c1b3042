import { describe, expect, test } from 'vitest';
import { trustProxy } from '../support/org-settings.ts';
import { newProfile, type TestOrg } from '../support/service.ts';
import { useService } from '../support/use-service.ts';

const { service, org } = useService();

const users = '/api/v1/users';

/** These tests cover section 4.1.11 of the specification, and attack 104 (docs/security-rows.md). */
describe('client context', () => {
  async function clientOf(of: TestOrg, headers: Record<string, string>) {
    const response = await of.admin.post(users, { body: { profile: newProfile() }, headers });
    expect(response.status).toBe(200);
    const [event] = await of.systemLog(`transaction.id eq "${String(response.headers['x-svc-request-id'])}"`);
    return event;
  }

  test.each([
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/120.0 Safari/537.36',
      'Windows 10',
      'CHROME',
      'Computer',
    ],
    ['MyApp/1.0 (apple; iphone) safari', 'iOS', 'SAFARI', 'Mobile'],
    ['MyApp/1.0 ios ipad', 'iOS', 'Unknown', 'Tablet'],
    ['MyApp/2 android chrome', 'Android', 'CHROME', 'Mobile'],
    ['%$&/()=', 'Unknown', 'Unknown', 'Unknown'],
    ["'; drop table users; --", 'Unknown', 'Unknown', 'Unknown'],
  ])('reads the user agent %s', async (userAgent, os, browser, device) => {
    const { client } = await clientOf(org, { 'user-agent': userAgent });
    expect(client).toMatchObject({ device, userAgent: { rawUserAgent: userAgent, os, browser } });
  });

  test('without a user agent all is Unknown, and nothing is refused for it', async () => {
    const { client } = await clientOf(org, {});
    expect(client).toMatchObject({ device: 'Unknown', userAgent: { rawUserAgent: null, os: 'Unknown' } });
  });

  test('X-Forwarded-For is not believed from anybody, loopback included, until the org says so', async () => {
    const own = await service.newOrg();
    const headers = { 'x-forwarded-for': '203.0.113.7', 'x-real-ip': '203.0.113.8', forwarded: 'for=203.0.113.9' };
    expect((await clientOf(own, headers)).client.ipAddress).toBe('127.0.0.1');
    await trustProxy(service, own, '127.0.0.1/32');
    const event = await clientOf(own, headers);
    expect(event.client.ipAddress).toBe('203.0.113.7');
    expect(event.request.ipChain.map(({ ip }: { ip: string }) => ip)).toEqual(['203.0.113.7', '127.0.0.1']);
    expect((await clientOf(org, headers)).client.ipAddress).toBe('127.0.0.1');
  });

  test.each([
    ['203.0.113.7, 198.51.100.1', '198.51.100.1'],
    ['203.0.113.7:4711', '203.0.113.7'],
    ['[2001:DB8::1]:443', '2001:db8::1'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['garbage', '127.0.0.1'],
    ['203.0.113.7, garbage', '127.0.0.1'],
    ['0x7f.1', '127.0.0.1'],
    ['', '127.0.0.1'],
    [`${'198.51.100.1, '.repeat(1_000)}203.0.113.7`, '203.0.113.7'],
    [`203.0.113.7, ${'127.0.0.1, '.repeat(1_000)}127.0.0.1`, '127.0.0.1'],
  ])('from a listed proxy, %.60s means %s', async (forwardedFor, address) => {
    const own = await service.newOrg();
    await trustProxy(service, own, '127.0.0.0/8');
    expect((await clientOf(own, { 'x-forwarded-for': forwardedFor })).client.ipAddress).toBe(address);
  });

  test('X-Device-Fingerprint is kept with the event, cut to what can be a fingerprint', async () => {
    const { debugContext } = await clientOf(org, { 'x-device-fingerprint': 'f'.repeat(300) });
    expect(debugContext.debugData.deviceFingerprint).toBe('f'.repeat(256));
    expect((await clientOf(org, {})).debugContext.debugData.deviceFingerprint).toBeUndefined();
  });

  test('the address of the request is there, and the token it came with', async () => {
    const { debugContext, transaction } = await clientOf(org, { 'accept-language': 'de' });
    expect(debugContext.debugData).toMatchObject({ requestUri: users, url: expect.stringContaining(users) });
    expect(transaction.detail.requestApiTokenId).toMatch(/^00T/);
  });
});
