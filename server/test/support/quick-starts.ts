import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { newPlace, type Place, runServer, stopServer } from './server-process.ts';

// This file runs the commands on the pages of docs/quick-starts as written, except for the paths, the ports and
// `npm install`.

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const PAGES = join(ROOT, 'docs', 'quick-starts');
const FOLDERS = join(ROOT, 'dist', 'quick-starts');
const MOST_MILLISECONDS_TO_START = 90_000;

/** A running installation after its first start, whose only user is the first administrator. */
export interface Installation {
  readonly place: Place;
  readonly ca: string;
  /** The credentials in `bootstrap.json`, with which the administrator signs in for the first time. */
  readonly login: string;
  readonly password: string;
  readonly close: () => Promise<void>;
}

export async function startInstallation(): Promise<Installation> {
  const place = await newPlace();
  const server = await runServer(place);
  const ca = await readFile(join(place.dataDirectory, 'tls', 'ca.pem'), 'utf8');
  const { login, password } = JSON.parse(
    await readFile(join(place.dataDirectory, 'bootstrap.json'), 'utf8'),
  ) as Readonly<Record<'login' | 'password', string>>;
  const close = async (): Promise<void> => {
    await stopServer(server);
    await place.remove();
  };
  return { place, ca, login, password, close };
}

interface Block {
  readonly language: string;
  readonly text: string;
  /** The file in which the page tells readers to save the block; undefined if it names none for the block. */
  readonly file: string | undefined;
}

const BLOCK = /(?:^Save this as `([^`]+)`[^\n]*\n\n)?^```(\w+)\n([\s\S]*?)^```$/gm;

const blocksOf = (page: string): Block[] =>
  [...page.matchAll(BLOCK)].map(([, file, language = '', text = '']) => ({ file, language, text }));

const isInstallation = ({ text }: Block): boolean => text.startsWith('npm install ');
const isProgram = ({ text }: Block): boolean => /^(\w+="[^"]*" )?(node|npx) /.test(text);

export interface QuickStart {
  readonly home: string;
  /** The first output that the page shows, or the empty string. */
  readonly shown: string;
  /** The commands that follow the start of the app, each with the output that the page shows for it. */
  readonly requests: readonly { readonly command: string; readonly shown: string }[];
  /** Runs the commands up to the one that starts the app. Resolves when the app listens; the app runs until `close`. */
  readonly serve: () => Promise<void>;
  /** Runs the commands up to the one that starts the app, and waits until the app has ended. Returns their output. */
  readonly run: () => Promise<string>;
  /** Runs a command in another shell, in the same folder, to its end. Returns its output. */
  readonly ask: (command: string) => Promise<string>;
  readonly close: () => Promise<void>;
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** A shell in its own process group, so that `stop` also ends the programs that it has started. */
class Shell {
  readonly #child: ChildProcess;
  readonly #output: Buffer[] = [];
  readonly #errors: Buffer[] = [];
  readonly #ended: Promise<void>;

  constructor(script: string, folder: string, environment: Readonly<Record<string, string>>) {
    this.#child = spawn('bash', ['--norc', '-euo', 'pipefail', '-c', script], {
      cwd: folder,
      env: environment,
      // Standard input stays open, as in a terminal, because some programs end when it is closed.
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    });
    this.#child.stdout?.on('data', (chunk: Buffer) => this.#output.push(chunk));
    this.#child.stderr?.on('data', (chunk: Buffer) => this.#errors.push(chunk));
    this.#ended = once(this.#child, 'close').then(() => undefined);
  }

  get #hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  #failure(): Error {
    const said = Buffer.concat([...this.#errors, ...this.#output]).toString('utf8');
    return new Error(`the commands ended with ${this.#child.exitCode ?? this.#child.signalCode}: ${said}`);
  }

  async untilListening(port: number): Promise<void> {
    const last = Date.now() + MOST_MILLISECONDS_TO_START;
    while (!(await isListening(port))) {
      if (this.#hasEnded || Date.now() > last) throw this.#failure();
      await delay(50);
    }
  }

  async untilEnded(): Promise<string> {
    await this.#ended;
    if (this.#child.exitCode !== 0) throw this.#failure();
    return Buffer.concat(this.#output).toString('utf8');
  }

  async stop(): Promise<void> {
    if (this.#child.pid !== undefined && !this.#hasEnded) process.kill(-this.#child.pid, 'SIGTERM');
    await this.#ended;
  }
}

/** Writes a package.json in place of `npm install`. The packages are found in the repository's node_modules. */
async function writePackages(folder: string, packages: readonly string[]): Promise<void> {
  const dependencies: Record<string, string> = {};
  for (const name of packages) {
    const written = await readFile(join(ROOT, 'node_modules', name, 'package.json'), 'utf8');
    dependencies[name] = (JSON.parse(written) as { version: string }).version;
  }
  await writeFile(join(folder, 'package.json'), JSON.stringify({ dependencies }));
}

async function writeFiles(folder: string, blocks: readonly Block[]): Promise<void> {
  for (const { file, text } of blocks) {
    if (file === undefined) continue;
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), text);
  }
}

export const namesOfQuickStarts = async (): Promise<string[]> =>
  (await readdir(PAGES)).map((file) => basename(file, '.md')).toSorted();

/** Prepares the quick start of a page. Its app listens on `port` instead of 3000. */
export async function openQuickStart(name: string, place: Place, port: number): Promise<QuickStart> {
  const written = await readFile(join(PAGES, `${name}.md`), 'utf8');
  const page = written
    .replaceAll('~/gatehouse/data', place.dataDirectory)
    .replaceAll('~/gatehouse', ROOT)
    .replaceAll('8443', String(place.port))
    .replaceAll('3000', String(port));
  const blocks = blocksOf(page);
  const commands = blocks.filter((block) => block.language === 'sh' && !isInstallation(block));
  const program = commands.findIndex(isProgram);
  const packages = blocks.filter(isInstallation).flatMap(({ text }) => text.trim().split(/\s+/).slice(2));
  const texts = blocks.filter(({ language }) => language === 'text').map(({ text }) => text.trim());

  await mkdir(FOLDERS, { recursive: true });
  const folder = await mkdtemp(join(FOLDERS, `${name}-`));
  await writePackages(folder, packages);
  await writeFiles(folder, blocks);
  const environment = {
    ...place.environment,
    HOME: place.directory,
    NODE_OPTIONS: '--dns-result-order=ipv4first',
    NEXT_TELEMETRY_DISABLED: '1',
    npm_config_update_notifier: 'false',
  };
  const shells: Shell[] = [];
  const shell = (script: string): Shell => {
    const opened = new Shell(script, folder, environment);
    shells.push(opened);
    return opened;
  };
  const all = commands
    .slice(0, program + 1)
    .map(({ text }) => text)
    .join('\n');

  return {
    home: `http://localhost:${port}/`,
    shown: texts[0] ?? '',
    requests: commands.slice(program + 1).map(({ text }, index) => ({ command: text, shown: texts[index] ?? '' })),
    serve: () => shell(all).untilListening(port),
    run: () => shell(all).untilEnded(),
    ask: (command) => shell(command).untilEnded(),
    close: async () => {
      for (const opened of shells) await opened.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
