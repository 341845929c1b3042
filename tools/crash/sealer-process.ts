import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('sealing-program.ts', import.meta.url));

/** A process that seals all events of an installation at once. */
export class SealerProcess {
  readonly #args: readonly string[];
  #child: ChildProcess | null = null;
  /** The number of segments that were reported. */
  segments = 0;
  readonly faults: string[] = [];

  /** The data folder is that of an embedded PostgreSQL, or the sealer's own one if there is a URL. */
  constructor(dataDirectory: string, databaseUrl?: string) {
    this.#args = [dataDirectory, ...(databaseUrl === undefined ? [] : [databaseUrl])];
  }

  launch(): void {
    const child = spawn(process.execPath, ['--import', 'tsx', PROGRAM, ...this.#args], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line.startsWith('sealed ')) this.segments += Number(line.slice('sealed '.length));
      else this.faults.push(line);
    });
    this.#child = child;
  }

  /** Kills the process, and waits until it has ended. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }
}
