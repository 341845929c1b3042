// `node tools/package.mjs [<folder>]` packs the `gatehouse` program into a tarball for npm. It writes the tarball to
// `<folder>` (default: dist/) and prints its path.
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { isExternal } from './packing/externals.mjs';
import { closureOf } from './packing/locked-packages.mjs';
import { checkNode, ensureBuilt, ROOT } from './setup.mjs';

const SERVER = join(ROOT, 'server');
const PACKING = join(ROOT, 'tools', 'packing');
/** Entries of the server's folder that are not packed. The package gets a package.json of its own. */
const LEFT_OUT = ['src', 'test', 'node_modules', 'package.json'];
const BIN_FILES = ['gatehouse.mjs', 'end-with-npm.mjs', 'program-for.mjs'];

const readJson = (...path) => JSON.parse(readFileSync(join(...path), 'utf8'));

const nameOf = (path) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);

/**
 * Returns exact versions of the packages that the program loads at run time, because npm ignores a package-lock.json in
 * a tarball. Leaves out nested packages, because a package.json can name only one version of each package.
 */
function dependenciesOf(server, packages) {
  const names = Object.keys({ ...server.dependencies, ...server.optionalDependencies }).filter(isExternal);
  const dependencies = {};
  const optionalDependencies = {};
  for (const path of closureOf(packages, names, 'server')) {
    if (path.lastIndexOf('node_modules/') > 0 && !path.startsWith('server/')) continue;
    const { optional, version } = packages[path];
    (optional ? optionalDependencies : dependencies)[nameOf(path)] = version;
  }
  return { dependencies, optionalDependencies };
}

const manifestOf = (root, server, packages) => ({
  name: root.name,
  version: root.version,
  description: root.description,
  license: root.license,
  type: 'module',
  engines: root.engines,
  bin: { gatehouse: 'bin/gatehouse.mjs' },
  ...dependenciesOf(server, packages),
});

function licenseOf(path, { license, version }) {
  const folder = join(ROOT, path);
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|notice)/i.test(file));
  const texts = files.map((file) => readFileSync(join(folder, file), 'utf8').trim());
  return [`${nameOf(path)} ${version} (${license})`, ...texts].join('\n\n');
}

/** Returns the license texts of the bundled packages. The tarball must contain these texts. */
function licenses(server, packages) {
  const held = Object.keys(server.dependencies).filter((name) => !isExternal(name));
  const texts = closureOf(packages, held, 'server').map((path) => licenseOf(path, packages[path]));
  return `${texts.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}

const isPacked = (path) => !path.endsWith('.map') && basename(path) !== '.sources';

function fill(folder) {
  const server = readJson(SERVER, 'package.json');
  const { packages } = readJson(ROOT, 'package-lock.json');
  const manifest = manifestOf(readJson(ROOT, 'package.json'), server, packages);
  for (const name of readdirSync(SERVER).filter((entry) => !LEFT_OUT.includes(entry))) {
    cpSync(join(SERVER, name), join(folder, name), { recursive: true, filter: isPacked });
  }
  mkdirSync(join(folder, 'bin'));
  for (const name of BIN_FILES) cpSync(join(PACKING, name), join(folder, 'bin', name));
  chmodSync(join(folder, 'bin', 'gatehouse.mjs'), 0o755);
  for (const name of ['LICENSE', 'NOTICE']) cpSync(join(ROOT, name), join(folder, name));
  cpSync(join(PACKING, 'README.md'), join(folder, 'README.md'));
  writeFileSync(join(folder, 'THIRD-PARTY-LICENSES.txt'), licenses(server, packages));
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

function pack(folder, output) {
  mkdirSync(output, { recursive: true });
  const options = { cwd: folder, encoding: 'utf8', shell: process.platform === 'win32', stdio: ['ignore', 'pipe', 2] };
  const packed = spawnSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', output], options);
  if (packed.status !== 0) throw new Error('npm pack failed');
  return join(output, JSON.parse(packed.stdout)[0].filename);
}

checkNode();
await ensureBuilt();
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-package-'));
try {
  fill(folder);
  console.log(pack(folder, resolve(process.argv[2] ?? join(ROOT, 'dist'))));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
