import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from './gatehouse.ts';

/**
 * Imports a module of the built server. Sources would measure too slow in this process: their loader rewrites them to
 * keep the names of functions, which costs time in every closure.
 */
export const built = <Module>(path: string): Promise<Module> =>
  import(pathToFileURL(join(ROOT, 'server', 'dist', path)).href) as Promise<Module>;
