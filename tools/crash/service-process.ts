import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { within } from '../../server/src/platform/operations/within.ts';

const fileOf = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

export interface Launch {
  readonly main: readonly string[];
  readonly cli: readonly string[];
}
export const FROM_SOURCES: Launch = {
  main: ['--import', 'tsx', fileOf('server/src/main.ts')],
  cli: ['--import', 'tsx', fileOf('server/src/cli/gatehouse.ts')],
};
export const FROM_BUILD: Launch = {
  main: [fileOf('server/dist/main.js')],
  cli: [fileOf('server/dist/cli/gatehouse.js')],
};

/** The address that a process listens on, and the command that starts a program there. */
export interface ProcessPlace {
  readonly address: string;
  readonly prefix: readonly string[];
}
export const LOOPBACK: ProcessPlace = { address: '127.0.0.1', prefix: [] };

export interface ServiceProcessOptions {
  readonly launch: Launch;
  readonly dataDirectory: string;
  readonly port: number;
  readonly managementPort: number;
  readonly environment?: Readonly<Record<string, string>>;
  readonly place?: ProcessPlace;
}

export interface Bootstrap {
  readonly baseUrl: string;
  readonly apiToken: string;
  readonly caFile: string;
  readonly orgId: string;
}

const KEPT_CHARACTERS = 20_000;
const POLL_MILLISECONDS = 20;
/** A process that is paused, or whose network is cut off, gives no answer at all. */
const HEALTH_MILLISECONDS = 5_000;

export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  const ports: number[] = [];
  for (const server of servers) {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (typeof address === 'object' && address !== null) ports.push(address.port);
  }
  for (const server of servers) server.close();
  return ports;
}

/** Repeats `ask` until it returns something other than null. */
export async function eventually<Value>(
  what: string,
  patienceMilliseconds: number,
  ask: () => Promise<Value | null>,
): Promise<Value> {
  const end = performance.now() + patienceMilliseconds;
  for (;;) {
    const answer = await ask();
    if (answer !== null) return answer;
    if (performance.now() > end) throw new Error(`${what}: not within ${patienceMilliseconds} ms`);
    await delay(POLL_MILLISECONDS);
  }
}

const environmentOf = (options: ServiceProcessOptions): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(GATEHOUSE_|VITEST|NODE_OPTIONS)/.test(name)),
  ),
  GATEHOUSE_DATA_DIR: options.dataDirectory,
  GATEHOUSE_PORT: String(options.port),
  GATEHOUSE_MANAGEMENT_PORT: String(options.managementPort),
  GATEHOUSE_LOG_LEVEL: 'warn',
  GATEHOUSE_WORKERS: '1',
  GATEHOUSE_RATE_LIMIT_PER_MINUTE: '10000000',
  ...(options.place === undefined || options.place === LOOPBACK
    ? {}
    : { GATEHOUSE_HOST: options.place.address, GATEHOUSE_MANAGEMENT_HOST: options.place.address }),
  ...options.environment,
});

export class ServiceProcess {
  readonly #options: ServiceProcessOptions;
  #child: ChildProcess | null = null;
  #output = '';

  constructor(options: ServiceProcessOptions) {
    this.#options = options;
  }

  get output(): string {
    return this.#output;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  get isRunning(): boolean {
    return this.#child !== null && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** `more` are environment variables for this run only. */
  launch(more: Readonly<Record<string, string>> = {}): void {
    const { launch, place = LOOPBACK } = this.#options;
    const [program = process.execPath, ...rest] = [...place.prefix, process.execPath, ...launch.main];
    const child = spawn(program, rest, {
      env: { ...environmentOf(this.#options), ...more },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const keep = (chunk: Buffer): void => {
      this.#output = `${this.#output}${chunk.toString('utf8')}`.slice(-KEPT_CHARACTERS);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    this.#child = child;
  }

  /** Returns the status of `/health/ready` or `/health/live`, or null if there is no response. */
  async health(kind: 'ready' | 'live'): Promise<number | null> {
    const { managementPort, place = LOOPBACK } = this.#options;
    const url = `http://${place.address}:${managementPort}/health/${kind}`;
    return within(HEALTH_MILLISECONDS, fetch(url)).then(
      async (response) => {
        await response.arrayBuffer();
        return response.status;
      },
      () => null,
    );
  }

  async untilReady(patienceMilliseconds = 60_000): Promise<void> {
    await eventually('ready', patienceMilliseconds, async () => {
      if (!this.isRunning) throw new Error(`the service ended:\n${this.#output}`);
      return (await this.health('ready')) === 200 ? true : null;
    });
  }

  async start(): Promise<void> {
    this.launch();
    await this.untilReady();
  }

  /** Sends a signal and waits until the process has ended. */
  async end(signal: NodeJS.Signals): Promise<number | null> {
    const child = this.#child;
    if (child === null || !this.isRunning) return child?.exitCode ?? null;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
    return child.exitCode;
  }

  async untilEnded(): Promise<number | null> {
    const child = this.#child;
    if (child !== null && this.isRunning) await once(child, 'exit');
    return child?.exitCode ?? null;
  }

  async bootstrap(): Promise<Bootstrap> {
    return JSON.parse(await readFile(join(this.#options.dataDirectory, 'bootstrap.json'), 'utf8')) as Bootstrap;
  }

  async postmasterPid(): Promise<number> {
    const place = await readFile(join(this.#options.dataDirectory, 'cluster.json'), 'utf8');
    const { directory } = JSON.parse(place) as { directory: string };
    const [pid = ''] = (await readFile(join(directory, 'postmaster.pid'), 'utf8')).split('\n');
    return Number(pid);
  }

  async cli(...words: readonly string[]): Promise<{ status: number | null; output: string }> {
    const child = spawn(process.execPath, [...this.#options.launch.cli, ...words], {
      env: environmentOf(this.#options),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    let errors = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString('utf8');
    });
    child.stderr.on('data', (chunk: Buffer) => {
      errors += chunk.toString('utf8');
    });
    await once(child, 'close');
    return { status: child.exitCode, output: child.exitCode === 0 ? output : `${output}${errors}` };
  }
}
