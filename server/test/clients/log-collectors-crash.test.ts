import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SdkSubscription } from './log-collector-sdk.ts';
import { type CollectedOrg, type CollectedService, startCollectedService } from './log-collector-service.ts';
import { invented, missing, runCollector, Truth } from './log-collector-truth.ts';
import { Elastic, Logstash, Splunk, Vector, Xsiam } from './log-collector-ways.ts';
import { UserWriter, unlogged } from './log-collector-writers.ts';

// This file tests the ways to read the log (contract section 21) with several orgs, while the server and the collectors
// die and restart.

const LOAD_MILLISECONDS = 3_000;
const DEATHS_IN_HUNDRED = 8;
const WINDOW_MILLISECONDS = 1_500;
/** The longest time from the end of a window until all events that were published in it are in the log. */
const SETTLE_MILLISECONDS = 12_000;

let service: CollectedService;

beforeAll(async () => {
  service = await startCollectedService(['second', 'third']);
}, 180_000);
afterAll(() => service.close());

const newWriters = ({ newHttp }: CollectedOrg) => [false, false, true].map((slow) => new UserWriter(newHttp(), slow));

const newCollectors = ({ newHttp }: CollectedOrg, since: Date) => [
  new Elastic(newHttp(), since),
  new Splunk(newHttp(), since, WINDOW_MILLISECONDS, SETTLE_MILLISECONDS),
  new Logstash(newHttp(), since),
  new Vector(newHttp(), since),
  new Xsiam(newHttp(), since, 1_000),
  new Xsiam(newHttp(), since, 100),
];

async function runSdk(sdk: SdkSubscription, state: { readonly ending: boolean }): Promise<void> {
  await sdk.restart();
  for (let steps = 1; !state.ending; steps += 1) {
    await sdk.step();
    if (steps % 30 === 0) await sdk.restart();
  }
  for (let steps = 0; steps < 10; steps += 1) await sdk.step();
  await sdk.close();
}

it('hand on every event, repeated ones by the same uuid, over two kills of the server and their own', async () => {
  const since = new Date();
  const writing = { writing: true };
  const state = { ending: false };
  const all = service.orgs.map((org) => ({
    truth: new Truth(org.newHttp(), since),
    writers: newWriters(org),
    collectors: newCollectors(org, since),
  }));
  const [{ address }] = service.orgs as readonly [CollectedOrg];
  const orgUrl = `https://localhost:${address.port}`;
  const sdk = new SdkSubscription({ orgUrl, token: address.token, caFile: service.caFile }, since);
  const truths = all.map(({ truth }) => truth.run());
  const writes = all.flatMap(({ writers }) => writers.map((writer) => writer.run(writing)));
  const reads = all.flatMap(({ collectors }) => collectors.map((one) => runCollector(one, state, DEATHS_IN_HUNDRED)));
  const subscribed = runSdk(sdk, state);

  for (let kills = 0; kills < 2; kills += 1) {
    await delay(LOAD_MILLISECONDS);
    await service.crash();
  }
  await delay(LOAD_MILLISECONDS);
  writing.writing = false;
  await Promise.all(writes);
  for (const { truth } of all) await truth.settled();
  // By the end of this pause, Splunk may read the window in which the last events were published.
  await delay(SETTLE_MILLISECONDS + 2 * WINDOW_MILLISECONDS);
  state.ending = true;
  await Promise.all([...reads, subscribed]);
  for (const { truth } of all) truth.stop();
  await Promise.all(truths);

  for (const { truth, writers, collectors } of all) {
    expect(writers.flatMap((writer) => writer.acknowledged).length).toBeGreaterThan(20);
    expect(unlogged(writers, truth)).toEqual([]);
    for (const collector of collectors) {
      const { lost, late } = missing(collector, truth);
      expect(lost, collector.name).toEqual([]);
      expect(invented(collector, truth), collector.name).toEqual([]);
      // These two collectors restart at the last `published`, so they may miss late events.
      if (collector instanceof Elastic || collector instanceof Xsiam) continue;
      expect(late, collector.name).toEqual([]);
      expect(collector.repeated, collector.name).toEqual([]);
    }
  }
  const [first] = all;
  if (first === undefined) throw new Error('there are no orgs');
  expect(missing(sdk, first.truth).lost, sdk.name).toEqual([]);
  expect(invented(sdk, first.truth), sdk.name).toEqual([]);
  expect(sdk.repeated, sdk.name).toEqual([]);
  expect(sdk.starts.length, sdk.name).toBeGreaterThan(1);
  const verified = await service.verified();
  expect(verified).toHaveLength(all.length);
}, 240_000);
