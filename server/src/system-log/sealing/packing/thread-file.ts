import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { packageFile } from '../../../platform/package-folder.ts';

const BUILT = packageFile('dist', 'system-log', 'sealing', 'packing', 'pack-thread.js');

/**
 * Returns the path of the module that packs events in a thread. The module is beside this one if each module was
 * compiled separately, as for tests, and otherwise in the build.
 */
export function packThreadFile(): string | null {
  const beside = join(import.meta.dirname, 'pack-thread.js');
  return [beside, BUILT].find((file) => existsSync(file)) ?? null;
}
