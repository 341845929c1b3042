import { within } from './within.ts';

/** The metrics of several workers, added up in their primary. */
export interface AddedMetrics {
  /** Returns the aggregated metrics of the workers as Prometheus text. */
  text(): Promise<string>;
  answered(workerId: number, request: number, metrics: Measured): void;
  /** Keeps the counts of a worker that has ended, because sums of counters must not fall. */
  ended(workerId: number): void;
}

/** The metrics of a registry as `getMetricsAsJSON` returns them. */
type Measured = readonly object[];

interface Request {
  readonly missing: Set<number>;
  readonly done: () => void;
}

const PATIENCE_MILLISECONDS = 1_000;

/**
 * A gauge describes a running process, so it is dropped when its worker ends. Counters and histograms count what has
 * happened, so they are kept.
 */
const isCount = (metric: object): boolean =>
  'type' in metric && (metric.type === 'counter' || metric.type === 'histogram');

/** Loads prom-client on first use, because loading it at startup would delay the fork of the first worker. */
async function sum(parts: readonly Measured[]) {
  const { AggregatorRegistry } = await import('prom-client');
  return AggregatorRegistry.aggregate(parts.map((part) => [...part]));
}

/** `ask` requests the metrics of the workers that are listening, and returns the ids of these workers. */
export function addMetrics(ask: (request: number) => readonly number[]): AddedMetrics {
  const latest = new Map<number, Measured>();
  let past: readonly Measured[] = [];
  let requests = 0;
  const open = new Map<number, Request>();

  const leave = (workerId: number, request: number): void => {
    const { done, missing } = open.get(request) ?? {};
    missing?.delete(workerId);
    if (missing?.size === 0) done?.();
  };

  const foldPast = async (): Promise<void> => {
    if (past.length < 2) return;
    const parts = past;
    const folded = await (await sum(parts)).getMetricsAsJSON();
    past = [folded, ...past.slice(parts.length)];
  };

  let folding = Promise.resolve();
  /**
   * Folds run one after the other. If two ran at once, the later to end would drop counts that were added in between.
   */
  const foldNext = (): Promise<void> => {
    const fold = folding.then(foldPast);
    folding = fold.catch(() => undefined);
    return fold;
  };

  return {
    text: async () => {
      requests += 1;
      const request = requests;
      const missing = new Set(ask(request));
      const all = new Promise<void>((done) => {
        open.set(request, { missing, done });
        if (missing.size === 0) done();
      });
      // If a worker does not answer in time, its last known metrics are used.
      await within(PATIENCE_MILLISECONDS, all).catch(() => undefined);
      open.delete(request);
      await foldNext();
      return (await sum([...past, ...latest.values()])).metrics();
    },
    answered: (workerId, request, metrics) => {
      latest.set(workerId, metrics);
      leave(workerId, request);
    },
    ended: (workerId) => {
      past = [...past, latest.get(workerId)?.filter(isCount) ?? []];
      latest.delete(workerId);
      for (const request of open.keys()) leave(workerId, request);
    },
  };
}
