import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The contents of files by path. Paths are relative to the root and contain forward slashes. */
export type GeneratedFiles = ReadonlyMap<string, string>;

const currentText = (path: string): string | undefined => (existsSync(path) ? readFileSync(path, 'utf8') : undefined);

/** Returns the paths of files that are missing or outdated, and of files in `folders` that are no longer generated. */
export function staleFiles(root: string, files: GeneratedFiles, folders: readonly string[]): string[] {
  const differing = [...files].filter(([path, text]) => currentText(join(root, path)) !== text).map(([path]) => path);
  const orphans = folders
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) => readdirSync(join(root, folder)).map((name) => `${folder}/${name}`))
    .filter((path) => !files.has(path));
  return [...differing, ...orphans].sort();
}

/** Writes missing and outdated files, and deletes files in `folders` that are no longer generated. */
export function writeFiles(root: string, files: GeneratedFiles, folders: readonly string[]): string[] {
  const stale = staleFiles(root, files, folders);
  for (const path of stale) {
    const text = files.get(path);
    if (text === undefined) {
      rmSync(join(root, path), { recursive: true });
      continue;
    }
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return stale;
}
