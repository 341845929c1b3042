import { expect, test } from 'vitest';
import { createMetrics } from './metrics.ts';

test('batches are counted by how they ended, events and their age only once they were taken', async () => {
  const metrics = createMetrics();
  const failed = { kind: 'log_stream', outcome: 'failed', events: 40, lagMilliseconds: 900 };
  metrics.eventsSent(failed);
  metrics.eventsSent(failed);
  metrics.eventsSent({ kind: 'log_stream', outcome: 'delivered', events: 40, lagMilliseconds: 7_000 });
  const lines = (await metrics.registry.metrics()).split('\n');
  expect(lines).toContain('gatehouse_sink_batches_total{kind="log_stream",outcome="failed"} 2');
  expect(lines).toContain('gatehouse_sink_batches_total{kind="log_stream",outcome="delivered"} 1');
  expect(lines).toContain('gatehouse_sink_events_total{kind="log_stream"} 40');
  expect(lines).toContain('gatehouse_sink_lag_seconds_sum{kind="log_stream"} 7');
});
