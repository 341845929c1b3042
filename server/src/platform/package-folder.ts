import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The server's own folder: the nearest one above this module with a package.json, wherever a build put it. */
function findPackageFolder(from: string): string {
  if (existsSync(join(from, 'package.json'))) return from;
  const above = dirname(from);
  if (above === from) throw new Error('the folder of the server was not found');
  return findPackageFolder(above);
}

const PACKAGE_FOLDER = findPackageFolder(dirname(fileURLToPath(import.meta.url)));

/** Path of a file that is shipped with the server; the same from the sources and from the build. */
export const packageFile = (...segments: readonly string[]): string => join(PACKAGE_FOLDER, ...segments);
