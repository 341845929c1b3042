import type { Machine } from './cores.ts';

export interface Sizes {
  readonly workers: number;
  /** The number of database connections of each worker. */
  readonly databasePoolSize: number;
  readonly passwordHashWorkers: number;
}

/** The facts from which sizes are derived: the sizes that are set, and what the server may use of the machine. */
export interface Sizing {
  readonly given: { readonly [Name in keyof Sizes]: number | null };
  readonly machine: Machine;
}

/** The number of database connections that are needed besides those of the pools. */
const SPARE_CONNECTIONS = 10;

/** The maximum number of workers by default. PostgreSQL needs cores too. */
const MOST_WORKERS = 4;
/** The memory that a worker may take under load. With less, the operating system might kill a worker. */
const WORKER_BYTES = 200 * 1024 ** 2;
/**
 * PostgreSQL's default for `max_connections`. By default, only as many workers start as can share these connections,
 * but at least 1.
 */
const USUAL_CONNECTIONS = 100;
/** The number of connections that the workers share by default, unless the shares would be smaller than the minimum. */
const CONNECTIONS = 20;
/** With a smaller pool, a worker would have too few connections left for requests. */
const FEWEST_CONNECTIONS_PER_WORKER = 8;
const MOST_HASH_THREADS = 64;

export const connectionsNeeded = (sizes: Pick<Sizes, 'workers' | 'databasePoolSize'>): number =>
  sizes.workers * sizes.databasePoolSize + SPARE_CONNECTIONS;

export function connectionShortage(
  sizes: Pick<Sizes, 'workers' | 'databasePoolSize'>,
  maximumConnections: number,
): string | null {
  const needed = connectionsNeeded(sizes);
  if (needed <= maximumConnections) return null;
  return (
    `GATEHOUSE_WORKERS x GATEHOUSE_DATABASE_POOL_SIZE + ${SPARE_CONNECTIONS} is ${needed}, ` +
    `but the database allows ${maximumConnections} connections: lower one of the two settings`
  );
}

const defaultWorkers = ({ cores, memoryBytes }: Machine): number =>
  Math.max(1, Math.min(cores, MOST_WORKERS, Math.floor(memoryBytes / WORKER_BYTES)));

function sizesWith({ given, machine: { cores } }: Sizing, workers: number): Sizes {
  const ownConnections = Math.max(Math.floor(CONNECTIONS / workers), FEWEST_CONNECTIONS_PER_WORKER);
  const ownCores = Math.max(1, Math.floor(cores / workers));
  return {
    workers,
    databasePoolSize: given.databasePoolSize ?? ownConnections,
    passwordHashWorkers: given.passwordHashWorkers ?? Math.min(ownCores, MOST_HASH_THREADS),
  };
}

/**
 * Derives the sizes that are not set. The default number of workers is lowered until the connections of all workers fit
 * the database. Otherwise, the default could prevent a start.
 */
export function sizesFitting(sizing: Sizing, maximumConnections: number = USUAL_CONNECTIONS): Sizes {
  const most = Math.min(maximumConnections, USUAL_CONNECTIONS);
  let sizes = sizesWith(sizing, sizing.given.workers ?? defaultWorkers(sizing.machine));
  while (sizing.given.workers === null && sizes.workers > 1 && connectionsNeeded(sizes) > most)
    sizes = sizesWith(sizing, sizes.workers - 1);
  return sizes;
}
