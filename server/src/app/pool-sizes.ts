export interface PoolSizes {
  readonly requests: number;
  /** This pool serves searches of the log, and the sinks, which read the log. */
  readonly queries: number;
  /** One connection is for the relay, the other for sealing and retention. If there is only one, all share it. */
  readonly relay: number;
}

/**
 * Sizes for a process with few connections. With 4, the relay, sealing and retention share a connection, so the other
 * two delay the relay.
 */
const FEW: Readonly<Record<number, PoolSizes>> = {
  4: { requests: 2, queries: 1, relay: 1 },
  5: { requests: 2, queries: 1, relay: 2 },
  6: { requests: 2, queries: 2, relay: 2 },
  7: { requests: 3, queries: 2, relay: 2 },
};
const RELAY = 2;
const SHARE_OF_REQUESTS = 0.8;

/** Divides the connections of one process among its pools. GATEHOUSE_DATABASE_POOL_SIZE is at least 4. */
export function poolSizesOf(connections: number): PoolSizes {
  const few = FEW[connections];
  if (few !== undefined) return few;
  const requests = Math.floor((connections - RELAY) * SHARE_OF_REQUESTS);
  return { requests, queries: connections - RELAY - requests, relay: RELAY };
}

/**
 * Returns the pool sizes of a process to which GATEHOUSE_DATABASE_POOL_SIZE does not apply, such as a command.
 * `requests` is the size of the pool for requests.
 */
export const poolSizesAround = (requests: number): PoolSizes => ({
  requests,
  queries: Math.max(2, Math.ceil(requests / 4)),
  relay: RELAY,
});
