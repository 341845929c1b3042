import { describe, expect, test } from 'vitest';
import { addMetrics } from './cluster-metrics.ts';

const counter = (value: number) => ({
  name: 'requests_total',
  help: 'Requests.',
  type: 'counter',
  aggregator: 'sum',
  values: [{ labels: { status: '2xx' }, value }],
});
const gauge = (value: number) => ({
  name: 'waiting',
  help: 'Waiting.',
  type: 'gauge',
  aggregator: 'sum',
  values: [{ labels: {}, value }],
});

function workersOf(counts: Map<number, number>, silent = new Set<number>()) {
  const metrics = addMetrics((request) => {
    for (const [id, value] of counts) {
      if (!silent.has(id)) queueMicrotask(() => metrics.answered(id, request, [counter(value), gauge(1)]));
    }
    return [...counts.keys()];
  });
  return metrics;
}

async function readFrom(metrics: { text(): Promise<string> }): Promise<[requests: string, waiting: string]> {
  const text = await metrics.text();
  return [/^requests_total\S* (\S+)/m.exec(text)?.[1] ?? '', /^waiting (\S+)/m.exec(text)?.[1] ?? ''];
}

describe('the metrics of several workers', () => {
  test('are added up', async () => {
    expect(
      await readFrom(
        workersOf(
          new Map([
            [1, 20],
            [2, 22],
          ]),
        ),
      ),
    ).toEqual(['42', '2']);
  });

  test('are empty while none listens', async () => {
    expect((await workersOf(new Map()).text()).trim()).toBe('');
  });

  test('keep the counts of workers that have ended, but not their gauges', async () => {
    const counts = new Map([
      [1, 20],
      [2, 22],
    ]);
    const metrics = workersOf(counts);
    expect(await readFrom(metrics)).toEqual(['42', '2']);
    for (const [ended, replacement] of [
      [1, 3],
      [3, 4],
      [4, 5],
    ] as const) {
      counts.delete(ended);
      metrics.ended(ended);
      counts.set(replacement, 1);
    }
    expect(await readFrom(metrics)).toEqual(['43', '2']);
    // A second reading must not count the ended workers twice.
    expect(await readFrom(metrics)).toEqual(['43', '2']);
    metrics.ended(5);
    counts.delete(5);
    expect(await readFrom(metrics)).toEqual(['43', '1']);
  });

  test('contain what a worker measured last if it does not answer', async () => {
    const silent = new Set<number>();
    const metrics = workersOf(
      new Map([
        [1, 20],
        [2, 22],
      ]),
      silent,
    );
    expect(await readFrom(metrics)).toEqual(['42', '2']);
    silent.add(2);
    expect(await readFrom(metrics)).toEqual(['42', '2']);
  });

  test('keep the counts of a worker that ends between the steps of two requests', async () => {
    const step = async (times: number): Promise<void> => {
      for (let time = 0; time < times; time += 1) await Promise.resolve();
    };
    const readWhileEnding = async (stepsBetween: number, stepsToEnd: number): Promise<string> => {
      const counts = new Map([
        [1, 1],
        [2, 10],
        [3, 100],
      ]);
      const metrics = workersOf(counts);
      const end = (id: number): void => {
        counts.delete(id);
        metrics.ended(id);
      };
      await metrics.text();
      end(1);
      end(2);
      const first = metrics.text();
      await step(stepsBetween);
      const second = metrics.text();
      await step(stepsToEnd);
      end(3);
      await Promise.all([first, second]);
      return (await readFrom(metrics))[0];
    };
    // Each round uses another pair of delays: one before the second request, and one before worker 3 ends.
    for (let between = 0; between < 8; between += 1) {
      for (let toEnd = 0; toEnd < 40; toEnd += 1)
        expect(await readWhileEnding(between, toEnd), `${between}, ${toEnd}`).toBe('111');
    }
  });

  test('do not wait for a worker that ends meanwhile', async () => {
    const metrics = addMetrics((request) => {
      queueMicrotask(() => {
        metrics.answered(1, request, [counter(7)]);
        metrics.ended(2);
      });
      return [1, 2];
    });
    const startedAt = performance.now();
    expect((await readFrom(metrics))[0]).toBe('7');
    expect(performance.now() - startedAt).toBeLessThan(900);
  });
});
