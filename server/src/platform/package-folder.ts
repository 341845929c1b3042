import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

function findPackageFolder(from: string): string {
  if (existsSync(join(from, 'package.json'))) return from;
  const above = dirname(from);
  if (above === from) throw new Error('the folder of the server was not found');
  return findPackageFolder(above);
}

const PACKAGE_FOLDER = findPackageFolder(dirname(fileURLToPath(import.meta.url)));

/** Returns the path of a file that is shipped with the server. */
export const packageFile = (...segments: readonly string[]): string => join(PACKAGE_FOLDER, ...segments);
