import { type ExecFileSyncOptionsWithStringEncoding, execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const IGNORED_FOLDERS = new Set(['node_modules', 'dist', 'data', 'coverage', '.git']);

/**
 * Lists the tracked files and the new files that git does not ignore. Unless ROOT is the top of a git checkout,
 * searches the folders instead.
 */
function listFiles(): string[] {
  try {
    const options: ExecFileSyncOptionsWithStringEncoding = {
      cwd: ROOT,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    };
    const top = execFileSync('git', ['rev-parse', '--show-prefix'], options).trim();
    const output = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], options);
    const files = output.split('\0').filter((path) => path !== '' && existsSync(join(ROOT, path)));
    if (top === '' && files.length > 0) return [...new Set(files)];
  } catch {
    // Git may be missing, or may refuse a checkout that belongs to another user.
  }
  const entries = (folder: string): string[] =>
    readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      if (IGNORED_FOLDERS.has(entry.name)) return [];
      const path = join(folder, entry.name);
      return entry.isDirectory() ? entries(path) : [relative(ROOT, path).split(sep).join('/')];
    });
  return entries(ROOT);
}

export const FILES: readonly string[] = listFiles();
export const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

export const isGenerated = (path: string): boolean =>
  path.includes('.generated.') || /^(openapi|docs\/generated)\//.test(path);

export const TYPESCRIPT: readonly string[] = FILES.filter((path) => /\.(ts|tsx)$/.test(path) && !isGenerated(path));
