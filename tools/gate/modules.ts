import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { transform, version } from 'esbuild';
import { ROOT } from '../setup.mjs';

// With this module's plugin, each source of the server becomes a JavaScript module that Node itself loads in tests.
// Vitest would pass the sources to each worker one by one, which is slow. Each module names its source, so that stack
// traces and `import.meta.url` refer to the source.

const SOURCES = join(ROOT, 'server', 'src');

const KEY = createHash('sha256')
  .update(readFileSync(import.meta.filename))
  .update(`${version} ${ROOT}`)
  .digest('hex');
/**
 * The folder is under `server/`, so that the modules find the same packages as the sources. The path is the same for
 * every key, because vitest caches transformed files together with the paths of their imports.
 */
const MODULES = join(ROOT, 'server', 'node_modules', '.gatehouse-modules');
const KEY_FILE = join(MODULES, 'key');

const isSource = (path: string): boolean => path.endsWith('.ts') && !path.endsWith('.test.ts');
const moduleOf = (source: string): string => join(MODULES, `${source.slice(SOURCES.length, -'.ts'.length)}.js`);

/** Relative specifiers in the form that esbuild writes. */
const SPECIFIERS = /(\b(?:from|import) ?\(?")(\.[^"\n]*)\.ts"/g;

/** Writes a temporary file and renames it, because another run may be reading the old file. */
function place(path: string, text: string, modifiedAt: Date): void {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, text);
  utimesSync(draft, modifiedAt, modifiedAt);
  renameSync(draft, path);
}

async function translate(source: string, target: string): Promise<void> {
  const { mtime } = statSync(source);
  const url = pathToFileURL(source).href;
  const { code, map } = await transform(readFileSync(source, 'utf8'), {
    loader: 'ts',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: 'external',
    sourcesContent: false,
    sourcefile: relative(dirname(target), source),
    define: { 'import.meta.url': JSON.stringify(url) },
    tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
  });
  mkdirSync(dirname(target), { recursive: true });
  place(`${target}.map`, map, mtime);
  const link = `//# sourceMappingURL=${basename(target)}.map\n`;
  place(target, code.replaceAll(SPECIFIERS, '$1$2.js"') + link, mtime);
}

const modifiedAt = (path: string): number => Math.round(statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? -1);

function dropOtherModules(): void {
  if (existsSync(KEY_FILE) && readFileSync(KEY_FILE, 'utf8') === KEY) return;
  rmSync(MODULES, { recursive: true, force: true });
  mkdirSync(MODULES, { recursive: true });
  writeFileSync(KEY_FILE, KEY);
}

async function translateSources(): Promise<void> {
  dropOtherModules();
  const names = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter(isSource);
  const stale = names
    .map((name) => join(SOURCES, name))
    .filter((source) => {
      return modifiedAt(source) !== modifiedAt(moduleOf(source));
    });
  await Promise.all(stale.map((source) => translate(source, moduleOf(source))));
}

let translated: Promise<void> | undefined;

/** Returns the path of a source's module. `source` is a path relative to `server/src`, without `.ts`. */
export async function translatedModule(source: string): Promise<string> {
  translated ??= translateSources();
  await translated;
  return moduleOf(join(SOURCES, `${source}.ts`));
}

export const serverModules = {
  name: 'gatehouse-server-modules',
  enforce: 'pre' as const,
  /** The global setup also imports sources, so the modules must exist before it runs. */
  async configResolved(): Promise<void> {
    translated ??= translateSources();
    await translated;
  },
  resolveId(specifier: string, importer: string | undefined): string | undefined {
    if (importer === undefined || !specifier.startsWith('.') || !isSource(specifier)) return undefined;
    const path = resolve(dirname(importer), specifier);
    return path.startsWith(SOURCES + sep) ? moduleOf(path) : undefined;
  },
};
