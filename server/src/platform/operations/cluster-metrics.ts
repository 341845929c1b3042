import { AggregatorRegistry, type Registry } from 'prom-client';

/** Lets the primary process ask this worker for its metrics. */
export function offerMetrics(registry: Registry): void {
  AggregatorRegistry.setRegistries([registry]);
  // The constructor starts to listen for messages from the primary.
  void new AggregatorRegistry();
}

/** Returns a function that combines the metrics of all workers, or omits them all if a worker fails to send its own. */
export function collectWorkerMetrics(): () => Promise<string> {
  const aggregator = new AggregatorRegistry();
  return async () => {
    try {
      return await aggregator.clusterMetrics();
    } catch {
      return '# the workers did not answer';
    }
  };
}
