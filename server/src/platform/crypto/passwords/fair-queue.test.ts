import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FairQueue } from './fair-queue.ts';

const key = (orgId: string, addressPrefix = '192.0.2.0/24') => ({ orgId, addressPrefix });
const drain = <Item>(queue: FairQueue<Item>): Item[] => {
  const items: Item[] = [];
  for (let item = queue.shift(); item !== undefined; item = queue.shift()) items.push(item);
  return items;
};

describe('FairQueue', () => {
  test('takes turns among orgs, and among address prefixes within one', () => {
    const queue = new FairQueue<string>();
    for (const item of ['a1', 'a2', 'a3']) queue.push(key('a', 'flood'), item, 1);
    queue.push(key('a', 'quiet'), 'a-quiet', 1);
    queue.push(key('b'), 'b1', 1);
    queue.push(key('b'), 'b2', 1);
    expect(drain(queue)).toEqual(['a1', 'b1', 'a-quiet', 'b2', 'a2', 'a3']);
    expect([queue.length, queue.cost]).toEqual([0, 0]);
  });

  test('pushes out the newest of the costliest prefix of the costliest org', () => {
    const queue = new FairQueue<string>();
    queue.push(key('a', 'flood'), 'a1', 5);
    queue.push(key('a', 'flood'), 'a2', 5);
    queue.push(key('a', 'quiet'), 'a3', 3);
    queue.push(key('b'), 'b1', 4);
    expect(queue.pushOut(key('b'))).toBe('a2');
    expect(drain(queue)).toEqual(['a1', 'b1', 'a3']);
  });

  test('a newcomer never pushes out its equal', () => {
    const queue = new FairQueue<string>();
    queue.push(key('a'), 'a1', 1);
    queue.push(key('b'), 'b1', 1);
    expect(queue.pushOut(key('b'))).toBe('b1');
  });

  test('an empty queue has nothing to give', () => {
    const queue = new FairQueue<string>();
    expect([queue.shift(), queue.pushOut(key('a'))]).toEqual([undefined, undefined]);
  });

  test('loses and repeats nothing, whatever comes and goes', () => {
    const push = fc.record({ org: fc.constantFrom('a', 'b', 'c'), prefix: fc.constantFrom('p', 'q') });
    fc.assert(
      fc.property(fc.array(fc.oneof(push, fc.constantFrom('shift' as const, 'pushOut' as const))), (steps) => {
        const queue = new FairQueue<number>();
        const out: number[] = [];
        steps.forEach((step, index) => {
          const taken =
            step === 'shift' ? queue.shift() : step === 'pushOut' ? queue.pushOut(key('a', 'p')) : undefined;
          if (taken !== undefined) out.push(taken);
          if (typeof step === 'object') queue.push(key(step.org, step.prefix), index, 1);
          expect(queue.cost).toBe(queue.length);
        });
        out.push(...drain(queue));
        const pushed = steps.flatMap((step, index) => (typeof step === 'object' ? [index] : []));
        expect(out.toSorted((a, b) => a - b)).toEqual(pushed);
      }),
    );
  });
});
