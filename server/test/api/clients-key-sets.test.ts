import { beforeEach, describe, expect, test } from 'vitest';
import { createRemoteKeySets, type RemoteKeySets } from '../../src/management/apps/index.ts';
import { OutboundError } from '../../src/platform/outbound/index.ts';
import { createApp, newPublicJwk, serviceApp } from '../support/apps.ts';
import { type MovableClock, movableClock } from '../support/time.ts';
import { useService } from '../support/use-service.ts';

const URI = 'https://app.example.com/keys';
const MINUTE = 60_000;

const { service, org } = useService({ isShared: false });
let clientId = '';
let clock: MovableClock;
let asked: string[] = [];
let answer: () => Promise<unknown>;
beforeEach(async () => {
  clientId = (await createApp(org, serviceApp({ jwks_uri: URI }))).id;
  clock = movableClock();
  asked = [];
});

/** Makes a cache that stands for a process of its own. */
const newKeySets = (): RemoteKeySets =>
  createRemoteKeySets({
    db: service.application.db,
    clock,
    outbound: {
      getJson: (_orgId, url) => {
        asked.push(url);
        return answer();
      },
    },
  });

const serves = (...keys: readonly unknown[]) => {
  answer = () => Promise.resolve({ keys });
};
const isDown = (): void => {
  answer = () => Promise.reject(new OutboundError('unreachable'));
};
const kidsOf = async (sets: RemoteKeySets, refresh = false, uri = URI): Promise<unknown> =>
  (await sets.keysOf(org.id, clientId, uri, refresh))?.map(({ kid }) => kid) ?? null;

const one = newPublicJwk('one');
const two = newPublicJwk('two');

describe('the keys behind a jwks_uri', () => {
  test('are asked for once in five minutes, by all processes together', async () => {
    serves(one);
    const sets = newKeySets();
    expect(await kidsOf(sets)).toEqual(['one']);
    serves(two);
    clock.advance(5 * MINUTE - 1_000);
    expect(await kidsOf(sets)).toEqual(['one']);
    expect(await kidsOf(newKeySets())).toEqual(['one']);
    expect(asked).toEqual([URI]);
    clock.advance(2_000);
    expect(await kidsOf(sets)).toEqual(['two']);
    expect(asked).toEqual([URI, URI]);
  });

  test('are asked for once by many at once', async () => {
    serves(one);
    const sets = newKeySets();
    const all = await Promise.all(Array.from({ length: 20 }, () => kidsOf(sets)));
    expect(new Set(all.map((kids) => JSON.stringify(kids)))).toEqual(new Set(['["one"]']));
    expect(asked).toEqual([URI]);
  });

  test('are asked for anew when a key is unknown, once a minute', async () => {
    serves(one);
    const sets = newKeySets();
    await kidsOf(sets);
    serves(one, two);
    expect(await kidsOf(sets, true)).toEqual(['one']);
    expect(asked).toHaveLength(1);
    clock.advance(MINUTE + 1_000);
    expect(await kidsOf(sets, true)).toEqual(['one', 'two']);
    for (let count = 0; count < 5; count += 1) await kidsOf(sets, true);
    expect(asked).toHaveLength(2);
  });

  test('are asked for once a minute also when asking fails, however many name unknown keys', async () => {
    serves(one);
    const sets = newKeySets();
    await kidsOf(sets);
    clock.advance(MINUTE + 1_000);
    isDown();
    for (let count = 0; count < 10; count += 1) expect(await kidsOf(sets, true)).toEqual(['one']);
    expect(asked).toHaveLength(2);
  });

  test('are those of the address that the client has now', async () => {
    serves(one);
    const sets = newKeySets();
    await kidsOf(sets);
    isDown();
    const moved = 'https://app.example.com/moved';
    expect(await kidsOf(sets, false, moved)).toBeNull();
    clock.advance(MINUTE);
    serves(two);
    expect(await kidsOf(sets, false, moved)).toEqual(['two']);
    expect(asked).toEqual([URI, moved, moved]);
  });

  test('are without those that nobody should use', async () => {
    serves(one, { kty: 'oct', k: 'AAAA' }, { ...two, d: 'x' }, { kty: 'RSA', n: 'AQAB', e: 'AQAB' });
    expect(await kidsOf(newKeySets())).toEqual(['one']);
  });

  test.each([
    ['no set', { jwks: [] }],
    ['more than 50', { keys: Array.from({ length: 51 }, (_, index) => newPublicJwk(`k${index}`)) }],
  ])('cannot be had: %s', async (_, body) => {
    answer = () => Promise.resolve(body);
    expect(await kidsOf(newKeySets())).toBeNull();
  });
});

describe('while the host is down (fault F16)', () => {
  test('the keys that were read are good for an hour, and not a minute longer', async () => {
    serves(one);
    const sets = newKeySets();
    await kidsOf(sets);
    isDown();
    for (const minutes of [10, 30, 19]) {
      clock.advance(minutes * MINUTE);
      expect(await kidsOf(sets)).toEqual(['one']);
      expect(await kidsOf(newKeySets())).toEqual(['one']);
    }
    clock.advance(2 * MINUTE);
    expect(await kidsOf(sets)).toBeNull();
    serves(two);
    clock.advance(MINUTE);
    expect(await kidsOf(sets)).toEqual(['two']);
  });

  test('it is not asked by every request', async () => {
    isDown();
    const sets = newKeySets();
    for (let count = 0; count < 10; count += 1) expect(await kidsOf(sets)).toBeNull();
    expect(asked).toHaveLength(1);
    clock.advance(11_000);
    serves(one);
    expect(await kidsOf(sets)).toEqual(['one']);
  });

  test('an error of ours is not taken for one of the host', async () => {
    answer = () => Promise.reject(new Error('a fault'));
    const sets = newKeySets();
    await expect(kidsOf(sets)).rejects.toThrow('a fault');
    serves(one);
    expect(await kidsOf(sets)).toEqual(['one']);
  });
});

test('an app that is deleted while its keys are read leaves nothing behind', async () => {
  answer = async () => {
    await org.admin.post(`/api/v1/apps/${clientId}/lifecycle/deactivate`);
    await org.admin.del(`/api/v1/apps/${clientId}`);
    return { keys: [one] };
  };
  expect(await kidsOf(newKeySets())).toEqual(['one']);
  const { rows } = await service.application.pool.query(
    'select 1 from app_key_sets where org_id = $1 and app_id = $2',
    [org.id, clientId],
  );
  expect(rows).toEqual([]);
});
