import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from './gatehouse.ts';

/**
 * A module of the server as it was built. What is measured inside this process must not be the source as the loader
 * changes it: that keeps the names of functions, and pays for it in every closure.
 */
export const built = <Module>(path: string): Promise<Module> =>
  import(pathToFileURL(join(ROOT, 'server', 'dist', path)).href) as Promise<Module>;
