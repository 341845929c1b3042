import { AggregatorRegistry, type Registry } from 'prom-client';

/** In a worker: the primary may ask for these meters. */
export function offerMetrics(registry: Registry): void {
  AggregatorRegistry.setRegistries([registry]);
  // The constructor is what begins to listen to the primary.
  void new AggregatorRegistry();
}

/** In the primary: the workers' meters added up. All are left out when one does not answer within 5 s. */
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
