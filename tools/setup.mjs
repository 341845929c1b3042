// This module prepares a fresh clone. It imports no packages, because it may run before any are installed.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

const DIST = join(ROOT, 'server', 'dist');
const BUILD_STAMP = join(DIST, '.sources');
/** Like a change to the sources, a change to one of these files makes a new build necessary. */
const BUILD_INPUTS = ['package-lock.json', 'tsconfig.base.json', 'tools/bundle.mjs', 'tools/packing/externals.mjs'];

const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));

/** Ends the process with an error message if this version of Node is too old. */
export function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  const oldest = readJson(join(ROOT, 'package.json')).engines.node.replace('>=', '');
  const [oldestMajor, oldestMinor] = oldest.split('.').map(Number);
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return;
  console.error(`Gatehouse needs Node ${oldest} or newer; this is ${process.versions.node}.`);
  process.exit(1);
}

const runsHere = (entry) =>
  (entry.os === undefined || entry.os.includes(process.platform)) &&
  (entry.cpu === undefined || entry.cpu.includes(process.arch));

const isForDevelopment = (entry) => entry.dev === true || entry.devOptional === true;

function isWanted(entry) {
  if (entry.optional !== true) return true;
  // npm may skip an optional package that names no platform, or that names a libc.
  return (entry.os !== undefined || entry.cpu !== undefined) && entry.libc === undefined && runsHere(entry);
}

/**
 * Tells whether `installed` contains the required packages in the versions of `wanted`. With `production`, developer
 * tools do not count.
 */
export const isComplete = (wanted, installed, production) =>
  Object.entries(wanted).every(([path, entry]) => {
    if (!path.startsWith('node_modules/') && !path.includes('/node_modules/')) return true;
    if (production && isForDevelopment(entry)) return true;
    const found = installed[path];
    return found === undefined ? !isWanted(entry) : found.version === entry.version;
  });

/** npm writes .package-lock.json last, so an interrupted installation lacks that file. */
function readInstalled() {
  const path = join(ROOT, 'node_modules', '.package-lock.json');
  return existsSync(path) ? readJson(path).packages : null;
}

function isInstalled(production) {
  const installed = readInstalled();
  return installed !== null && isComplete(readJson(join(ROOT, 'package-lock.json')).packages, installed, production);
}

function run(command, args) {
  const npmScript = command === 'npm' ? process.env.npm_execpath : undefined;
  const [program, ...rest] = npmScript === undefined ? [command, ...args] : [process.execPath, npmScript, ...args];
  const shell = process.platform === 'win32' && npmScript === undefined;
  // Output goes to standard error (2), because standard output belongs to the requested program.
  const result = spawnSync(program, rest, { cwd: ROOT, stdio: ['ignore', 2, 2], shell });
  if (result.error) throw result.error;
  return result.status === 0;
}

const isAlive = (pid) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
};

/** Runs `work` while no other process of this user sets up this clone. Removes the lock of a process that has ended. */
async function exclusively(work) {
  const place = createHash('sha256').update(ROOT).digest('hex').slice(0, 16);
  const lock = join(tmpdir(), `gatehouse-setup-${process.getuid?.() ?? 'user'}-${place}`);
  for (;;) {
    try {
      mkdirSync(lock, { mode: 0o700 });
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    const holder = existsSync(join(lock, 'pid')) ? Number(readFileSync(join(lock, 'pid'), 'utf8')) : undefined;
    const abandoned = holder === undefined ? olderThan(lock, 5_000) : !isAlive(holder);
    if (abandoned) rmSync(lock, { recursive: true, force: true });
    else await delay(200);
  }
  try {
    writeFileSync(join(lock, 'pid'), String(process.pid));
    return work();
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

function olderThan(path, milliseconds) {
  try {
    return Date.now() - statSync(path).mtimeMs > milliseconds;
  } catch {
    return true;
  }
}

/** Starting the server must not remove installed developer tools, but `npm ci --omit=dev` would. */
const hasDevelopmentTools = () => Object.values(readInstalled() ?? {}).some((entry) => entry.dev === true);

/** Installs packages unless node_modules matches the lock file. With `production`, developer tools are optional. */
export async function ensureInstalled(production = false) {
  if (isInstalled(production)) return;
  await exclusively(() => {
    if (isInstalled(production)) return;
    console.error('Installing packages (npm ci) ...');
    // Without `--include=dev`, npm would leave out the developer tools if NODE_ENV is production.
    const tools = production && !hasDevelopmentTools() ? '--omit=dev' : '--include=dev';
    if (!run('npm', ['ci', tools, '--include=optional', '--no-audit', '--no-fund'])) throw new Error('npm ci failed');
  });
}

function filesBelow(directory, wanted) {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) return filesBelow(path, wanted);
    return wanted(entry.name) ? [path] : [];
  });
}

const isSource = (name) => name.endsWith('.ts') && !name.endsWith('.test.ts');

/**
 * Hashes the contents of the files that the build depends on. Their modification times say nothing, because git sets
 * them at checkout.
 */
function sourcesHash() {
  const hash = createHash('sha256');
  const inputs = BUILD_INPUTS.map((name) => join(ROOT, name));
  for (const path of [...inputs, ...filesBelow(join(ROOT, 'server', 'src'), isSource).sort()]) {
    const text = readFileSync(path);
    hash.update(`${path.slice(ROOT.length)} ${text.length}\n`).update(text);
  }
  return hash.digest('hex');
}

const builtFrom = () => (existsSync(BUILD_STAMP) ? readFileSync(BUILD_STAMP, 'utf8') : undefined);

function build(sources) {
  rmSync(DIST, { recursive: true, force: true });
  if (!run(process.execPath, [join(ROOT, 'tools', 'bundle.mjs')])) throw new Error('the build failed');
  writeFileSync(BUILD_STAMP, sources);
}

export async function ensureBuilt() {
  await ensureInstalled(true);
  if (builtFrom() === sourcesHash()) return;
  await exclusively(() => {
    const sources = sourcesHash();
    if (builtFrom() === sources) return;
    console.error('Building the server ...');
    build(sources);
  });
}
