import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from './gatehouse.ts';

/**
 * Imports a module of the built server. The TypeScript sources would run too slowly in this process, because tsx adds
 * code to every closure to keep its function name.
 */
export const built = <Module>(path: string): Promise<Module> =>
  import(pathToFileURL(join(ROOT, 'server', 'dist', path)).href) as Promise<Module>;
