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
    for (const item of ['a1', 'a2', 'a3']) queue.push(key('a', 'flood'), item, 1, 'own');
    queue.push(key('a', 'quiet'), 'a-quiet', 1, 'own');
    queue.push(key('b'), 'b1', 1, 'own');
    queue.push(key('b'), 'b2', 1, 'own');
    expect(drain(queue)).toEqual(['a1', 'b1', 'a-quiet', 'b2', 'a2', 'a3']);
    expect([queue.length, queue.cost()]).toEqual([0, 0]);
  });

  test('pushes out the newest of the costliest prefix of the costliest org', () => {
    const queue = new FairQueue<string>();
    queue.push(key('a', 'flood'), 'a1', 5, 'own');
    queue.push(key('a', 'flood'), 'a2', 5, 'own');
    queue.push(key('a', 'quiet'), 'a3', 3, 'own');
    queue.push(key('b'), 'b1', 4, 'own');
    expect(queue.pushOut(key('b'))).toBe('a2');
    expect(drain(queue)).toEqual(['a1', 'b1', 'a3']);
  });

  test('a newcomer never pushes out its equal', () => {
    const queue = new FairQueue<string>();
    queue.push(key('a'), 'a1', 1, 'own');
    queue.push(key('b'), 'b1', 1, 'own');
    expect(queue.pushOut(key('b'))).toBe('b1');
  });

  test('turns are of milliseconds: who asks for what is dear has fewer of them', () => {
    const queue = new FairQueue<string>();
    for (const item of ['dear1', 'dear2', 'dear3']) queue.push(key('a'), item, 100, 'imported');
    for (let item = 1; item <= 150; item += 1) queue.push(key('b'), `b${item}`, 1, 'own');
    const order = drain(queue);
    expect([order.indexOf('dear1'), order.indexOf('dear2'), order.indexOf('dear3')]).toEqual([0, 101, 152]);
  });

  test('the same inside an org: an address with dear hashes makes itself wait', () => {
    const queue = new FairQueue<string>();
    for (const item of ['dear1', 'dear2']) queue.push(key('a', 'flood'), item, 100, 'imported');
    for (let item = 1; item <= 50; item += 1) queue.push(key('a', 'quiet'), `quiet${item}`, 1, 'own');
    expect(drain(queue).indexOf('dear2')).toBe(51);
  });

  test('what was taken counts on, also when nothing of its org waits any more', () => {
    const queue = new FairQueue<string>();
    queue.push(key('a'), 'dear1', 100, 'imported');
    queue.push(key('b'), 'b1', 1, 'own');
    queue.push(key('b'), 'b2', 1, 'own');
    expect([queue.shift(), queue.shift()]).toEqual(['dear1', 'b1']);
    queue.push(key('a'), 'dear2', 100, 'imported');
    expect(drain(queue)).toEqual(['b2', 'dear2']);
  });

  test('what took longer than expected counts with what it took', () => {
    const queue = new FairQueue<string>();
    for (const item of ['a1', 'a2']) queue.push(key('a'), item, 1, 'imported');
    for (const item of ['b1', 'b2', 'b3']) queue.push(key('b'), item, 1, 'own');
    expect(queue.shift()).toBe('a1');
    queue.settle(key('a'), 10);
    expect(drain(queue)).toEqual(['b1', 'b2', 'b3', 'a2']);
  });

  test('gives and pushes out items of the origins that are asked for alone', () => {
    const queue = new FairQueue<string>();
    queue.push(key('a'), 'imported1', 5, 'imported');
    queue.push(key('a'), 'own1', 9, 'own');
    queue.push(key('b'), 'imported2', 7, 'imported');
    expect([queue.cost(['imported']), queue.cost(['own'])]).toEqual([12, 9]);
    expect(queue.shift(['own'])).toBe('own1');
    expect(queue.shift(['own'])).toBeUndefined();
    expect(queue.pushOut(key('a'), ['own'])).toBeUndefined();
    expect(queue.pushOut(key('a'), ['imported'])).toBe('imported2');
    expect(drain(queue)).toEqual(['imported1']);
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
          if (typeof step === 'object') queue.push(key(step.org, step.prefix), index, 1, 'own');
          expect(queue.cost()).toBe(queue.length);
        });
        out.push(...drain(queue));
        const pushed = steps.flatMap((step, index) => (typeof step === 'object' ? [index] : []));
        expect(out.toSorted((a, b) => a - b)).toEqual(pushed);
      }),
    );
  });
});
