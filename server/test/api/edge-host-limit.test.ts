import { expect, test } from 'vitest';
import { useService } from '../support/use-service.ts';

const LIMIT = 5;
const METADATA = '/.well-known/svc-organization';
const LIMITED = { status: 429, body: { errorCode: 'E0000047' } };

const { service, org } = useService({ hostLimitPerMinute: LIMIT, tlsProxies: ['127.0.0.1', '10.0.0.0/8'] });
let hosts = 0;

const askFrom = (forwardedFor: string, host = `x${(hosts += 1)}.localhost`) =>
  org.client({ host, 'x-forwarded-for': forwardedFor }).get(METADATA);

async function useUp(forwardedFor: string): Promise<void> {
  for (let asked = 0; asked < LIMIT; asked += 1) {
    const answer = await askFrom(forwardedFor);
    expect(answer).toMatchObject({ status: 404, body: { errorCode: 'E0000007' } });
    expect(answer.headers['x-rate-limit-remaining']).toBe(String(LIMIT - asked - 1));
  }
}

/** Each look-up of a host could cost a query (docs/review-findings.md, security 14). */
test('hosts that nobody has are limited by address, before they are looked up', async () => {
  const unseen = await service.newOrg();
  expect(await askFrom('203.0.113.1', org.hostname)).toMatchObject({ status: 200 });
  await useUp('203.0.113.7');
  const refused = await askFrom('203.0.113.7');
  expect(refused).toMatchObject(LIMITED);
  expect(refused.headers).toMatchObject({ 'x-rate-limit-limit': String(LIMIT), 'x-rate-limit-remaining': '0' });
  // The service has not cached this host name, and the address has used up its look-ups.
  expect(await askFrom('203.0.113.7', unseen.hostname)).toMatchObject(LIMITED);
  expect(await askFrom('203.0.113.8', unseen.hostname)).toMatchObject({ status: 200, body: { id: unseen.id } });
  expect(await askFrom('203.0.113.7', unseen.hostname)).toMatchObject({ status: 200 });
  expect(await askFrom('203.0.113.7', org.hostname)).toMatchObject({ status: 200 });
  service.clock.advance(60_000);
  expect(await askFrom('203.0.113.7')).toMatchObject({ status: 404 });
});

test('an IPv6 subscriber is one caller, and what a stranger forwards is not believed', async () => {
  await useUp('2001:db8:0:7::1');
  expect(await askFrom('2001:db8:0:7:ffff::2')).toMatchObject(LIMITED);
  expect(await askFrom('198.51.100.1, 2001:db8:0:7::3')).toMatchObject(LIMITED);
  expect(await askFrom('2001:db8:0:8::1')).toMatchObject({ status: 404 });
});

test('listed proxies that do not say for whom they ask are not one caller', async () => {
  for (let asked = 0; asked <= LIMIT; asked += 1) {
    expect(await askFrom('10.0.0.9')).toMatchObject({ status: 404 });
    expect(await org.client({ host: `y${asked}.localhost` }).get(METADATA)).toMatchObject({ status: 404 });
  }
});
