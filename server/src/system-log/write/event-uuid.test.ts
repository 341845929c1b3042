import { expect, test } from 'vitest';
import { createUuidGenerator } from './event-uuid.ts';

const fixed = (): Buffer => Buffer.from('ffff0123456789ab', 'hex');

test('a version 1 UUID of RFC 9562, from the given instant', () => {
  const uuid = createUuidGenerator(fixed)(new Date('2022-02-22T19:22:22.000Z'));
  // The time fields equal the ones in the RFC's example (appendix A.1), which has the same time.
  expect(uuid).toBe('c232ab00-9414-11ec-bfff-0123456789ab');
});

test('never repeats and always rises, also while the clock stands still or goes back', () => {
  const newUuid = createUuidGenerator();
  const noon = new Date('2026-11-20T12:00:00.000Z');
  const times = [noon, noon, new Date(noon.getTime() - 3_600_000), noon, new Date(noon.getTime() + 1)];
  const ticks = times.map((time) => {
    const [low = '', middle = '', high = ''] = newUuid(time).split('-');
    return BigInt(`0x${high.slice(1)}${middle}${low}`);
  });
  for (const [index, tick] of ticks.entries()) {
    if (index > 0) expect(tick).toBeGreaterThan(ticks[index - 1] ?? 0n);
  }
});

test('two generators at one instant differ', () => {
  const now = new Date('2026-11-20T12:00:00.000Z');
  expect(createUuidGenerator()(now)).not.toBe(createUuidGenerator()(now));
});

test('the node says that it is no network card, the variant that of the RFC', () => {
  const uuid = createUuidGenerator(() => Buffer.alloc(8))(new Date(0));
  expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-1[0-9a-f]{3}-8000-010000000000$/);
});
