import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { HOT_PATHS, type HotPathName, type HotPathWorld, openHotPaths } from '../support/hot-paths.ts';

/**
 * The maximum number of times that a request waits for the database. A statement that is sent while another one runs on
 * the same connection does not count. These limits may be lowered but not raised.
 */
const ROUND_TRIPS: Readonly<Record<HotPathName, number>> = {
  'read a user': 1,
  'update a user': 2,
  'create a user': 2,
  'refresh a session': 1,
  'client credentials': 2,
  'exchange a code': 2,
  'rotate a refresh token': 2,
  'introspect a token': 1,
  userinfo: 1,
  'sign in': 2,
};

const WARM_UP = 3;
/** Jobs and polls sometimes use the same connections, so the test takes the lowest of several counts. */
const CALLS = 8;

let world: HotPathWorld;
let roundTrips = 0;

const nameOf = (client: pg.Client): unknown =>
  Reflect.get(Reflect.get(client, 'connectionParameters'), 'application_name');

function countRoundTrips(): void {
  const underWay = new WeakMap<pg.Client, number>();
  const original: (...given: unknown[]) => unknown = Reflect.get(pg.Client.prototype, 'query');
  vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function query(this: pg.Client, ...given: unknown[]) {
    if (nameOf(this) !== 'gatehouse-requests') return Reflect.apply(original, this, given);
    const before = underWay.get(this) ?? 0;
    if (before === 0) roundTrips += 1;
    underWay.set(this, before + 1);
    const end = (): void => {
      underWay.set(this, (underWay.get(this) ?? 1) - 1);
    };
    const callback = given.at(-1);
    if (typeof callback === 'function') {
      const ended = (...answer: unknown[]): unknown => {
        end();
        return Reflect.apply(callback, undefined, answer);
      };
      return Reflect.apply(original, this, [...given.slice(0, -1), ended]);
    }
    const result = Reflect.apply(original, this, given);
    if (result instanceof Promise) result.then(end, end);
    return result;
  });
}

beforeAll(async () => {
  world = await openHotPaths();
  countRoundTrips();
});
afterAll(async () => {
  vi.restoreAllMocks();
  await world.close();
});

let number = 0;
test.each(HOT_PATHS)('%s', async (name) => {
  const { call, prepare } = world.paths[name];
  const counts: number[] = [];
  for (let time = 0; time < WARM_UP + CALLS; time += 1) {
    number += 1;
    await prepare?.();
    roundTrips = 0;
    const { status } = await call(number);
    expect(status).toBeLessThan(300);
    if (time >= WARM_UP) counts.push(roundTrips);
  }
  await world.service.drained();
  expect(Math.min(...counts)).toBeLessThanOrEqual(ROUND_TRIPS[name]);
});
