import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureBuild } from './build.ts';

const BUILD = fileURLToPath(new URL('../../dist/', import.meta.url));
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

export interface Place {
  readonly directory: string;
  readonly dataDirectory: string;
  readonly port: number;
  readonly managementPort: number;
  readonly environment: Readonly<Record<string, string>>;
  remove(): Promise<void>;
}

export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from(
      { length: count },
      () =>
        new Promise<ReturnType<typeof createServer>>((resolve) => {
          const server = createServer().listen(0, '127.0.0.1', () => resolve(server));
        }),
    ),
  );
  const ports = servers.map((server) => {
    const address = server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  });
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

export async function newPlace(settings: Readonly<Record<string, string>> = {}): Promise<Place> {
  await ensureBuild();
  const directory = await mkdtemp(join(tmpdir(), 'gatehouse-process-'));
  // If the test runs as root, PostgreSQL runs as another user, who needs access to the folder.
  await chmod(directory, 0o755);
  const [port = 0, managementPort = 0] = await freePorts(2);
  const dataDirectory = join(directory, 'data');
  const environment = {
    PATH: process.env['PATH'] ?? '',
    GATEHOUSE_DATA_DIR: dataDirectory,
    GATEHOUSE_PORT: String(port),
    GATEHOUSE_MANAGEMENT_PORT: String(managementPort),
    // A test that needs several workers overrides this number.
    GATEHOUSE_WORKERS: '1',
    GATEHOUSE_DATABASE_POOL_SIZE: '6',
    GATEHOUSE_PASSWORD_HASH_WORKERS: '1',
    ...settings,
  };
  return {
    directory,
    dataDirectory,
    port,
    managementPort,
    environment,
    remove: () => rm(directory, { recursive: true, force: true }),
  };
}

export interface Program {
  readonly process: ChildProcess;
  readonly output: { stdout: string; stderr: string };
  /** The exit code or, if a signal ended the process, the signal. */
  readonly ended: Promise<number | string>;
}

/** Returns the words to put in front of a command to limit how many files and sockets it may have open. */
export const withDescriptors = (count: number): string[] => [
  '/bin/sh',
  '-c',
  `ulimit -n ${count} && exec "$@"`,
  'gatehouse-limited',
];

export function runCommand(
  place: Place,
  command: readonly string[],
  settings: Record<string, string> = {},
  cwd: string = ROOT,
): Program {
  const child = spawn(command[0] ?? '', command.slice(1), {
    cwd,
    env: { ...place.environment, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => {
    output.stdout += chunk.toString('utf8');
  });
  child.stderr.on('data', (chunk: Buffer) => {
    output.stderr += chunk.toString('utf8');
  });
  const ended = new Promise<number | string>((resolve) => {
    child.once('close', (code, signal) => resolve(code ?? signal ?? 'unknown'));
  });
  return { process: child, output, ended };
}

/**
 * Starts a program of the build: `main`, `process/start` or `cli/gatehouse`. `before` is put in front of the command.
 */
export const run = (
  place: Place,
  program: string,
  given: string[] = [],
  settings: Record<string, string> = {},
  before: readonly string[] = [],
): Program => runCommand(place, [...before, process.execPath, join(BUILD, `${program}.js`), ...given], settings);

export async function whenReady(server: Program): Promise<Program> {
  const ready = new Promise<null>((resolve) => {
    server.process.stdout?.on('data', () => {
      if (server.output.stdout.includes('Gatehouse is ready')) resolve(null);
    });
  });
  const exit = await Promise.race([ready, server.ended]);
  if (exit !== null) throw new Error(`the server ended (${String(exit)}): ${server.output.stderr}`);
  return server;
}

/**
 * Starts a server and waits until it is ready. `process/start` runs it under a supervisor, as `npm start` does; `main`
 * does not.
 */
export const runServer = (
  place: Place,
  settings: Record<string, string> = {},
  before: readonly string[] = [],
  program: 'main' | 'process/start' = 'main',
): Promise<Program> => whenReady(run(place, program, [], settings, before));

export async function stopServer(server: Program): Promise<number | string> {
  server.process.kill('SIGTERM');
  return server.ended;
}

export async function gatehouse(
  place: Place,
  ...given: string[]
): Promise<{ code: number | string; stdout: string; stderr: string }> {
  const program = run(place, 'cli/gatehouse', given);
  const code = await program.ended;
  return { code, ...program.output };
}
