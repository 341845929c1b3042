import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('sealing-program.ts', import.meta.url));

/** A process that seals all events of an installation at once. */
export class SealerProcess {
  readonly #dataDirectory: string;
  #child: ChildProcess | null = null;
  /** The number of segments that were reported. */
  segments = 0;
  readonly faults: string[] = [];

  constructor(dataDirectory: string) {
    this.#dataDirectory = dataDirectory;
  }

  launch(): void {
    const child = spawn(process.execPath, ['--import', 'tsx', PROGRAM, this.#dataDirectory], {
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
