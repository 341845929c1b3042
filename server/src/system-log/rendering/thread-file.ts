import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { packageFile } from '../../platform/package-folder.ts';

const BUILT = packageFile('dist', 'system-log', 'rendering', 'render-thread.js');

/**
 * Returns the module of the thread that renders events: beside this one if the modules were translated one by one, as
 * for tests, otherwise in the build. Returns null if there is neither; the relay then renders in its own thread.
 */
export function renderThreadFile(): string | null {
  const beside = join(import.meta.dirname, 'render-thread.js');
  return [beside, BUILT].find((file) => existsSync(file)) ?? null;
}
