import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newProfile, type TestOrg } from '../support/service.ts';
import { useService } from '../support/use-service.ts';
import { CollectorHttp } from './log-collector-http.ts';
import { invented, missing, runCollector, Truth } from './log-collector-truth.ts';
import { type Collector, Elastic, Logstash, Vector, Xsiam } from './log-collector-ways.ts';

// This file tests collectors that die and restart during bursts of events. Some collectors' pages are smaller than a
// burst.

const ORGS = 2;
const BURSTS = 6;
const WRITERS = 24;

const { service } = useService({ namespace: 'okta', maximumConnections: 30 });
let orgs: TestOrg[];
let since: Date;
const https: CollectorHttp[] = [];

beforeAll(async () => {
  orgs = [service.org];
  while (orgs.length < ORGS) orgs.push(await service.newOrg());
  await service.drained();
  service.clock.advance(5);
  since = service.clock.now();
});
afterAll(() => {
  for (const http of https) http.close();
});

function httpOf(org: TestOrg): CollectorHttp {
  const http = new CollectorHttp({
    hostname: org.hostname,
    port: service.port,
    ca: service.ca,
    token: org.adminToken,
  });
  https.push(http);
  return http;
}

const password = (slow: boolean) =>
  slow
    ? {
        credentials: {
          password: { value: 'Correct-1-Horse' },
          recovery_question: { question: 'Which?', answer: 'That one' },
        },
      }
    : {};

async function burst(org: TestOrg, size: number): Promise<void> {
  await Promise.all(
    Array.from({ length: size }, async (_, index) => {
      const body = { profile: newProfile(), ...password(index % 3 === 0) };
      const response = await org.admin.post('/api/v1/users', { body });
      expect(response.status).toBe(200);
    }),
  );
}

const WAYS: readonly ((http: CollectorHttp, since: Date) => Collector)[] = [
  (http, from) => new Elastic(http, from),
  (http, from) => new Elastic(http, from, 7),
  (http, from) => new Logstash(http, from),
  (http, from) => new Vector(http, from),
  (http, from) => new Xsiam(http, from, 1_000),
  (http, from) => new Xsiam(http, from, 60),
];

describe('collectors under bursts', () => {
  it('get every event that was published at or after they began', async () => {
    const state = { ending: false };
    const all = orgs.map((org) => ({
      truth: new Truth(httpOf(org), since),
      collectors: WAYS.map((make) => make(httpOf(org), since)),
    }));
    const truths = all.map(({ truth }) => truth.run());
    const running = all.flatMap(({ collectors }) => collectors.map((one) => runCollector(one, state, 10)));
    for (let count = 0; count < BURSTS; count += 1) await Promise.all(orgs.map((org) => burst(org, WRITERS)));
    await service.drained();
    for (const { truth } of all) await truth.settled();
    state.ending = true;
    await Promise.all(running);
    for (const { truth } of all) truth.stop();
    await Promise.all(truths);

    for (const { truth, collectors } of all) {
      expect(truth.events.size).toBeGreaterThanOrEqual(2 * BURSTS * WRITERS);
      for (const collector of collectors) {
        const { lost, late } = missing(collector, truth);
        expect(lost, collector.name).toEqual([]);
        expect(invented(collector, truth), collector.name).toEqual([]);
        if (collector instanceof Xsiam) expect(collector.stalls, collector.name).toBe(0);
        if (collector instanceof Elastic || collector instanceof Xsiam) continue;
        expect(late, collector.name).toEqual([]);
        expect(collector.repeated, collector.name).toEqual([]);
      }
    }
  }, 120_000);
});
