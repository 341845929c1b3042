import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type Connections, oneAtATime } from './connections.ts';

test('background work uses one connection at a time, and goes on after a failure', async () => {
  const counts = { now: 0, most: 0 };
  const inner: Connections = {
    withConnection: async (use) => {
      counts.now += 1;
      counts.most = Math.max(counts.most, counts.now);
      try {
        return await use({ query: () => Promise.resolve({ rows: [], command: 'SELECT' }) });
      } finally {
        counts.now -= 1;
      }
    },
  };
  const connections = oneAtATime(inner);
  const uses = [1, 2, 3, 4].map((number) =>
    connections.withConnection(async () => {
      await turn();
      if (number === 2) throw new Error('the second use fails');
      return number;
    }),
  );
  expect(await Promise.allSettled(uses)).toMatchObject([
    { value: 1 },
    { reason: { message: 'the second use fails' } },
    { value: 3 },
    { value: 4 },
  ]);
  expect(counts).toEqual({ now: 0, most: 1 });
});
