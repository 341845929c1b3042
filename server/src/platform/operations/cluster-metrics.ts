import { AggregatorRegistry, type Registry } from 'prom-client';

/** Lets the primary ask a worker for its meters. */
export function offerMetrics(registry: Registry): void {
  AggregatorRegistry.setRegistries([registry]);
  // The constructor starts to listen to the primary.
  void new AggregatorRegistry();
}

/** Adds up the workers' meters in the primary. If one worker does not answer within 5 s, all of them are left out. */
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
