import { pathToFileURL } from 'node:url';
import { translatedModule } from '../tools/gate/modules.ts';

/** The modules that `built` imports, by their paths below `server/src`. */
export interface Modules {
  'kernel/words/ids': typeof import('../server/src/kernel/words/ids.ts');
  'kernel/words/namespace': typeof import('../server/src/kernel/words/namespace.ts');
  'platform/geography/index': typeof import('../server/src/platform/geography/index.ts');
  'platform/postgres/embedded/index': typeof import('../server/src/platform/postgres/embedded/index.ts');
  'platform/postgres/index': typeof import('../server/src/platform/postgres/index.ts');
  'system-log/index': typeof import('../server/src/system-log/index.ts');
  'system-log/sealing/sealer': typeof import('../server/src/system-log/sealing/sealer.ts');
  'system-log/rendering/digest': typeof import('../server/src/system-log/rendering/digest.ts');
}

/**
 * Imports a module of the server as plain JavaScript. The loader of the bench, tsx, would add code that keeps the names
 * of functions. This code costs time in every closure.
 */
export const built = async <Path extends keyof Modules>(path: Path): Promise<Modules[Path]> =>
  import(pathToFileURL(await translatedModule(path)).href) as Promise<Modules[Path]>;
