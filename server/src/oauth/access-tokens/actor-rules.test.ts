import { describe, expect, test } from 'vitest';
import { type Actor, actorsIn, MAXIMUM_ACTORS, readActor } from './actor-rules.ts';

const one: Actor = { iss: 'https://acme.example', sub: 'orders' };
const chainOf = (length: number): Actor => (length === 1 ? one : { ...one, act: chainOf(length - 1) });

describe('a claim about actors', () => {
  test.each([1, 2, MAXIMUM_ACTORS])('is read with %i of them', (length) => {
    const chain = chainOf(length);
    expect(readActor(chain)).toEqual(chain);
    expect(actorsIn(chain)).toBe(length);
  });

  test('says nothing else than who they are', () => {
    expect(readActor({ ...one, exp: 1, act: { ...one, admin: true } })).toEqual({ ...one, act: one });
  });

  test('may be absent', () => {
    expect(readActor(undefined)).toBeUndefined();
  });

  test.each<[string, unknown]>([
    ['nothing', null],
    ['a text', 'orders'],
    ['a list', [one]],
    ['nobody', {}],
    ['an actor without a name', { iss: one.iss }],
    ['an actor with an empty name', { ...one, sub: '' }],
    ['an actor of no issuer', { sub: one.sub }],
    ['a number as a name', { ...one, sub: 1 }],
    ['a stranger behind', { ...one, act: 'orders' }],
    ['too many', chainOf(MAXIMUM_ACTORS + 1)],
    ['far too many', chainOf(1_000)],
  ])('of %s is none of ours', (_, claim) => {
    expect(readActor(claim)).toBeNull();
  });
});
