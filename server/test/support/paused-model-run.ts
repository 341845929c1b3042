import * as fc from 'fast-check';
import { expect } from 'vitest';
import type { TestResponse } from './client.ts';
import { ACTS, type Act, type ActName } from './paused-model-acts.ts';
import { type ModelRequest, REQUESTS, type RequestName } from './paused-model-requests.ts';
import type { PausedWorld } from './paused-model-world.ts';
import { type Contents, changesOf, type PausePoint } from './paused-pair.ts';

/** Something that the awake node does during a pause. */
export type Meanwhile =
  | { readonly kind: 'request'; readonly name: RequestName; readonly index: number }
  | { readonly kind: 'revoke'; readonly how: 'suspend' | 'role' | 'token' }
  | { readonly kind: 'rest' };

interface Pause {
  readonly point: PausePoint;
  readonly seconds: number;
  readonly meanwhile: readonly Meanwhile[];
}

/** After this time, no node uses what it has cached about callers and orgs. */
const CACHED_SECONDS = 2;
const REQUEST_SECONDS = 30;
/** After this time, PostgreSQL ends the transaction of a paused node. */
const LOCKED_SECONDS = 15;
/** The highest number of a packet at which a request is paused. */
const REQUEST_PACKETS = 9;
const KNOWN_PACKETS = 3;
/** The intake of a request finds its org, and then its caller is checked. */
const IS_CHECKED = /as "tokenId"|^begin/;

const send = (world: PausedWorld, request: ModelRequest): Promise<TestResponse> => request.send(world.org.admin);

async function doMeanwhile(world: PausedWorld, all: readonly Meanwhile[]): Promise<void> {
  for (const one of all) {
    if (one.kind === 'rest') await world.rest();
    else if (one.kind === 'revoke') await world.revoke(one.how);
    else {
      const request = REQUESTS[one.name](world, one.index);
      const { status, text } = await send(world, request);
      const expected = request.apply();
      if (expected !== 0) expect(status, text).toBe(expected);
    }
  }
}

interface Paused<Result> {
  readonly isPaused: boolean;
  /** The contents of the database before the act, during the pause, and after it. */
  readonly before: Contents;
  readonly during: Contents;
  readonly after: Contents;
  readonly result: Result;
}

interface Watch<Result> {
  readonly pool: Act['poolOf'];
  readonly run: () => Promise<Result>;
  /** This is called when the node has paused, before time passes, if PostgreSQL is not waiting for the node. */
  readonly paused: (before: Contents, during: Contents) => void;
  readonly meanwhile: () => Promise<void>;
}

/** Runs something at the late node, which is paused in it. */
async function runPaused<Result>(world: PausedWorld, pause: Pause, watch: Watch<Result>): Promise<Paused<Result>> {
  const { pair } = world;
  const before = await pair.contents();
  const paused = pair.arm(pause.point).then(() => 'paused' as const);
  const running = watch.run();
  running.catch(() => undefined);
  const first = await Promise.race([paused, running.then(() => 'done' as const)]);
  if (first === 'done') {
    pair.goOn();
    const after = await pair.contents();
    return { isPaused: false, before, during: before, after, result: await running };
  }
  await pair.settled();
  watch.paused(before, await pair.contents());
  const isOpen = await pair.pass(pause.seconds, watch.pool(pair.late));
  // Others would wait for the locks of an open transaction, except the relay, which only tries to lock.
  if (isOpen) await pair.awake.application.relay.drain();
  else await watch.meanwhile();
  if (isOpen) expect(pause.seconds, 'a paused node holds locks for a limited time').toBeLessThanOrEqual(LOCKED_SECONDS);
  world.count(isOpen ? 'pauses within a transaction' : 'pauses outside a transaction');
  const during = await pair.contents();
  pair.goOn();
  const result = await running;
  await pair.settled();
  return { isPaused: true, before, during, after: await pair.contents(), result };
}

const lateEffects = (world: PausedWorld): number => world.outside.effects.filter(({ node }) => node === 'late').length;

async function pausedAct(world: PausedWorld, name: ActName, pause: Pause): Promise<void> {
  await world.rest();
  const act = await ACTS[name].begin(world);
  const isLost = pause.seconds > act.rightSeconds;
  let effectsBefore = lateEffects(world);
  const started = effectsBefore;
  let isClaimed = true;
  const { after, during, isPaused } = await runPaused(world, pause, {
    pool: act.poolOf,
    run: () => act.run(world.pair.late),
    paused: (before, now) => {
      effectsBefore = lateEffects(world);
      isClaimed = before.get('jobs') !== now.get('jobs');
    },
    meanwhile: async () => {
      await act.meanwhile(isLost);
      await doMeanwhile(world, pause.meanwhile);
    },
  });
  world.count(isPaused ? `${name} paused` : `${name} not paused`);
  if (isPaused) {
    const changed = changesOf(during, after);
    if (isLost) {
      const allowed = isClaimed ? act.harmless : [...act.harmless, 'jobs'];
      expect(
        changed.filter((table) => !allowed.includes(table)),
        `${name}: written late`,
      ).toEqual([]);
      expect(lateEffects(world) - effectsBefore, `${name}: sent late`).toBe(0);
      for (const { key } of world.outside.effects.filter(({ node }) => node === 'late').slice(started))
        world.outside.mayRepeat.add(key);
      world.count('rights lost');
    }
    expect(
      changed.filter((table) => act.kept.includes(table)),
      `${name}: deleted late`,
    ).toEqual([]);
  }
  await world.pair.pass(CACHED_SECONDS);
  await world.rest();
  await act.after();
}

async function pausedRequest(
  world: PausedWorld,
  { index, isKnown, pause, request: name }: Extract<PausedStep, { request: RequestName }>,
): Promise<void> {
  await world.rest();
  const { pair } = world;
  const request = REQUESTS[name](world, index);
  const { token } = await world.caller();
  // The node then has the org and the caller in memory, and the first packet is that of the transaction.
  if (isKnown) await world.client('late', token).get('/api/v1/users/me');
  let isCommitted = false;
  let isChecked = true;
  let expected: number | null = null;
  const { after, during, isPaused, result } = await runPaused(world, pause, {
    pool: ({ application }) => application.pool,
    run: () => request.send(world.client('late', token)),
    paused: (before, now) => {
      isCommitted = changesOf(before, now).includes('log_inputs');
      isChecked = pair.seen.some((text) => IS_CHECKED.test(text));
      if (isCommitted) expected = request.apply();
    },
    meanwhile: () => doMeanwhile(world, pause.meanwhile),
  });
  const isLost = isPaused && !isCommitted && isChecked && pause.seconds > REQUEST_SECONDS;
  world.count(isPaused ? 'requests paused' : 'requests not paused');
  const isRefused = result.status >= 400;
  const change = changesOf(during, after);
  const story = `${name}: ${result.status} ${result.text}`;
  if (isLost) expect(change, `${story}: written late`).toEqual([]);
  if (isRefused) expect(change, `${story}: refused, but written`).toEqual([]);
  if (isLost) expect(isRefused, story).toBe(true);
  if (isLost) world.count('rights lost');
  const isAllowedRefusal = (isPaused && result.status === 503 && !isCommitted) || (world.isRevoked && !isCommitted);
  if (!isCommitted && !(isRefused && isAllowedRefusal)) expected = request.apply();
  if (expected !== null && expected !== 0) expect(result.status, story).toBe(expected);
  await pair.pass(CACHED_SECONDS);
}

const requestName = fc.constantFrom(...(Object.keys(REQUESTS) as RequestName[]));
const index = fc.nat({ max: 1 });
const meanwhile: fc.Arbitrary<Meanwhile> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('request' as const), name: requestName, index }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('revoke' as const),
      how: fc.constantFrom('suspend' as const, 'role', 'token'),
    }),
  },
  { weight: 2, arbitrary: fc.constant({ kind: 'rest' as const }) },
);
/** The limits are 10 s for the relay, 15 s for transactions and sinks, 20 s for jobs, and 30 s for requests. */
const seconds = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom(5, 12, 16, 21) },
  { weight: 3, arbitrary: fc.constantFrom(31, 46, 600) },
);
/** Half of the pauses are near the end, because long acts look at much before they write. */
const packetOf = (packets: number): fc.Arbitrary<number> =>
  fc.oneof(fc.integer({ min: 1, max: packets }), fc.integer({ min: Math.max(1, packets - 9), max: packets }));
const pauseUpTo = (packets: number): fc.Arbitrary<Pause> =>
  fc.record({
    point: fc.record({ packet: packetOf(packets), isSent: fc.boolean() }),
    seconds,
    meanwhile: fc.array(meanwhile, { maxLength: 2 }),
  });

/** Something that the late node does, and its pause. */
export type PausedStep =
  | { readonly act: ActName; readonly pause: Pause }
  | {
      readonly request: RequestName;
      readonly index: number;
      readonly isKnown: boolean;
      readonly pause: Pause;
    };

const acts = (Object.keys(ACTS) as ActName[]).map((act) =>
  fc.record({ act: fc.constant(act), pause: pauseUpTo(ACTS[act].packets) }),
);
const requests = fc.boolean().chain((isKnown) =>
  fc.record({
    request: requestName,
    index,
    isKnown: fc.constant(isKnown),
    pause: pauseUpTo(isKnown ? KNOWN_PACKETS : REQUEST_PACKETS),
  }),
);

/** Half of the steps are requests. */
export const pausedSteps = (count: number): fc.Arbitrary<PausedStep[]> =>
  fc.array(
    fc.oneof({ weight: acts.length, arbitrary: requests }, ...acts.map((arbitrary) => ({ weight: 1, arbitrary }))),
    {
      minLength: count,
      maxLength: count,
      size: 'max',
    },
  );

/** Runs the steps, and compares what each has left, and at last the whole log, with the model. */
export async function runSteps(world: PausedWorld, steps: readonly PausedStep[]): Promise<void> {
  for (const step of steps) {
    if ('act' in step) await pausedAct(world, step.act, step.pause);
    else await pausedRequest(world, step);
    await world.expectPeople();
    world.expectEffects();
  }
  await world.rest();
  await world.expectLog(world.org.id);
  await world.expectDelivered();
}
