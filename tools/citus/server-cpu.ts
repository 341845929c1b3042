import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cpuMicroseconds } from '../../bench/cpu.ts';

/** Returns the processes of a PostgreSQL server, by its data directory. */
function processesOf(dataDirectory: string): readonly number[] {
  const postmaster = readFileSync(join(dataDirectory, 'postmaster.pid'), 'utf8').split('\n')[0] ?? '';
  const children = readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8');
  return [postmaster, ...children.trim().split(' ')].filter((pid) => pid !== '').map(Number);
}

/** Measures the CPU time of PostgreSQL servers, with all their processes. Those that end meanwhile are not counted. */
export class ServerCpu {
  readonly #servers: ReadonlyMap<string, string>;
  #before = new Map<number, number>();

  /** `servers` are the data directories by the names of the servers. */
  constructor(servers: ReadonlyMap<string, string>) {
    this.#servers = servers;
  }

  start(): void {
    const pids = [...this.#servers.values()].flatMap(processesOf);
    this.#before = new Map(pids.map((pid) => [pid, cpuMicroseconds(pid)]));
  }

  /** Returns the microseconds since `start`, by the name of the server. */
  read(): ReadonlyMap<string, number> {
    const used = (pid: number): number => cpuMicroseconds(pid) - (this.#before.get(pid) ?? 0);
    return new Map(
      [...this.#servers].map(([name, directory]) => [
        name,
        processesOf(directory).reduce((sum, pid) => sum + used(pid), 0),
      ]),
    );
  }
}
