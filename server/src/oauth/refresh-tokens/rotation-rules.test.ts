import { describe, expect, test } from 'vitest';
import { expiriesOf, isOver, type Rotation, rotationFor, turnOf } from './rotation-rules.ts';

const now = new Date('2026-11-21T10:00:00.000Z');
const at = (milliseconds: number) => new Date(now.getTime() + milliseconds);
const rotating = (leeway: number): Rotation => ({ rotation_type: 'ROTATE', leeway });

describe('what comes of a genuine token', () => {
  test.each([
    ['the present one', 0, 3, 3, 0, 'rotate'],
    ['the one before, without leeway, in the same instant', 0, 3, 2, 0, 'reuse'],
    ['the one before, within the leeway', 30, 3, 2, 30_000, 'again'],
    ['the one before, behind the leeway', 30, 3, 2, 30_001, 'reuse'],
    ['one from before that, within the leeway', 30, 3, 1, 0, 'reuse'],
    ['one that does not exist yet', 30, 3, 4, 0, 'reuse'],
  ] as const)('%s', (_, leeway, generation, presented, after, turn) => {
    expect(turnOf(rotating(leeway), { generation, rotatedAt: now }, presented, at(after))).toBe(turn);
  });

  test.each([
    ['the present one', 0, 2, 'again'],
    ['one that was replaced while it rotated', 0, 1, 'reuse'],
    ['the one before, within the leeway', 30, 1, 'again'],
    ['one that does not exist yet', 30, 3, 'reuse'],
  ] as const)('of an app without rotation: %s', (_, leeway, presented, turn) => {
    const fixed: Rotation = { rotation_type: 'STATIC', leeway };
    expect(turnOf(fixed, { generation: 2, rotatedAt: now }, presented, now)).toBe(turn);
  });

  test('rotates where nothing else holds it: of a client that proves nothing, bound to no key', () => {
    const fixed: Rotation = { rotation_type: 'STATIC', leeway: 5 };
    const rotations = [
      rotationFor(fixed, { method: 'none', isBound: false }),
      rotationFor(fixed, { method: 'none', isBound: true }),
      rotationFor(fixed, { method: 'client_secret_basic', isBound: false }),
      rotationFor(null, { method: 'client_secret_basic', isBound: false }),
    ];
    expect(rotations).toEqual([rotating(5), fixed, fixed, rotating(0)]);
  });
});

describe('its time', () => {
  test('is idle from each use, and ends so long after it began', () => {
    const { expiresAt, idleExpiresAt } = expiriesOf({ lifetimeMinutes: 10, idleMinutes: 1 }, now, at(60_000));
    expect([idleExpiresAt, expiresAt]).toEqual([at(120_000), at(600_000)]);
    expect(expiriesOf({ lifetimeMinutes: 0, idleMinutes: 1 }, now, now).expiresAt).toBeNull();
    const capped = expiriesOf({ lifetimeMinutes: 2, idleMinutes: 5 }, now, at(60_000));
    expect([capped.idleExpiresAt, capped.expiresAt]).toEqual([at(120_000), at(120_000)]);
  });

  test('is over at its very end', () => {
    const token = { idleExpiresAt: at(2), expiresAt: at(1) };
    expect([at(0), at(1)].map((instant) => isOver(token, instant))).toEqual([false, true]);
    expect([at(1), at(2)].map((instant) => isOver({ ...token, expiresAt: null }, instant))).toEqual([false, true]);
  });
});
