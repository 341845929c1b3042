import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { packageFile } from '../../platform/package-folder.ts';

const BUILT = packageFile('dist', 'system-log', 'rendering', 'render-thread.js');

/**
 * Returns the path of the module that renders events in a thread. The module is beside this one if each module was
 * compiled separately, as for tests, and otherwise in the build. Returns null if it is in neither place.
 */
export function renderThreadFile(): string | null {
  const beside = join(import.meta.dirname, 'render-thread.js');
  return [beside, BUILT].find((file) => existsSync(file)) ?? null;
}
