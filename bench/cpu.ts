import { readdirSync, readFileSync } from 'node:fs';
import type { Pool } from '../server/src/platform/postgres/index.ts';

/** Returns the CPU time of a process's living threads in microseconds, as Linux counts it. */
export function cpuMicroseconds(pid: number): number {
  let nanoseconds = 0;
  for (const thread of threadsOf(pid)) {
    try {
      nanoseconds += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]);
    } catch {
      // The thread ended after the folder was listed, so its time is unknown.
    }
  }
  return nanoseconds / 1_000;
}

function threadsOf(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

/** The CPU time in microseconds, by the part that used it. */
export interface CpuUse {
  readonly node: number;
  readonly postgres: number;
  /**
   * The CPU time of the backends of the relay's pool. The relay's own code runs in the server's process and counts as
   * `node`.
   */
  readonly relay: number;
}

export const sumOf = ({ node, postgres, relay }: CpuUse): number => node + postgres + relay;

interface Backend {
  readonly pid: number;
  readonly name: string;
}

const BACKENDS = `select pid, application_name as name from pg_stat_activity
  where backend_type = 'client backend' and application_name = any ($1)`;

/** The names of the connections in the relay's pool, in this build and in older builds. */
const RELAY = new Set(['gatehouse-drains', 'gatehouse-relay']);
/** The names of the connections in the product's pools, in this build and in older builds. */
const PRODUCT = ['gatehouse-requests', 'gatehouse-queries', 'gatehouse', 'gatehouse-log', ...RELAY];
const PEER = ['gatehouse-bench-peer'];

export class CpuMeter {
  readonly #pid: number;
  readonly #pool: Pool;
  readonly #names: readonly string[];
  #node = 0;
  #backends = new Map<number, number>();

  private constructor(pid: number, pool: Pool, names: readonly string[]) {
    this.#pid = pid;
    this.#pool = pool;
    this.#names = names;
  }

  static ofProduct(subject: { readonly pid: number; readonly pool: Pool }): CpuMeter {
    return new CpuMeter(subject.pid, subject.pool, PRODUCT);
  }

  static ofPeer(pid: number, pool: Pool): CpuMeter {
    return new CpuMeter(pid, pool, PEER);
  }

  async #list(): Promise<readonly Backend[]> {
    return (await this.#pool.query<{ pid: number; name: string }>(BACKENDS, [[...this.#names]])).rows;
  }

  async start(): Promise<void> {
    const backends = await this.#list();
    this.#backends = new Map(backends.map(({ pid }) => [pid, cpuMicroseconds(pid)]));
    this.#node = cpuMicroseconds(this.#pid);
  }

  /** Returns the CPU time used since `start`, per request, without the backends that have ended since then. */
  async perRequest(requests: number): Promise<CpuUse> {
    const node = cpuMicroseconds(this.#pid) - this.#node;
    const backends = await this.#list();
    const used = (isRelay: boolean): number =>
      backends
        .filter(({ name }) => RELAY.has(name) === isRelay)
        .reduce((sum, { pid }) => sum + cpuMicroseconds(pid) - (this.#backends.get(pid) ?? 0), 0);
    return { node: node / requests, postgres: used(false) / requests, relay: used(true) / requests };
  }
}
