/** The number of connections in each pool of a process. */
export interface PoolSizes {
  readonly requests: number;
  /** For searches of the log, and for the sinks, which read the log. */
  readonly queries: number;
  /** One connection is for the relay, the other for retention. */
  readonly relay: number;
}

/** Sizes for fewer connections than the shares below can divide. With 4, retention delays the relay. */
const FEW: Readonly<Record<number, PoolSizes>> = {
  4: { requests: 2, queries: 1, relay: 1 },
  5: { requests: 2, queries: 1, relay: 2 },
  6: { requests: 2, queries: 2, relay: 2 },
  7: { requests: 3, queries: 2, relay: 2 },
};
const RELAY = 2;
const SHARE_OF_REQUESTS = 0.8;

/** Divides the connections of one process, of which there are at least 4 (GATEHOUSE_DATABASE_POOL_SIZE). */
export function poolSizesOf(connections: number): PoolSizes {
  const few = FEW[connections];
  if (few !== undefined) return few;
  const requests = Math.floor((connections - RELAY) * SHARE_OF_REQUESTS);
  return { requests, queries: connections - RELAY - requests, relay: RELAY };
}

/** Returns the pools around a pool for requests, for a process to which the setting does not apply. */
export const poolSizesAround = (requests: number): PoolSizes => ({
  requests,
  queries: Math.max(2, Math.ceil(requests / 4)),
  relay: RELAY,
});
