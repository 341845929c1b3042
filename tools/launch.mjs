import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { checkNode, ensureBuilt, ROOT } from './setup.mjs';

/**
 * Sets up the clone, and runs a program of the build in this process, so that the program gets signals and arguments.
 * If the setup fails, the process exits with 1.
 */
export async function launch(...pathInBuild) {
  checkNode();
  try {
    await ensureBuilt();
  } catch (error) {
    console.error(`Gatehouse could not be set up: ${error.message}`);
    process.exit(1);
  }
  const program = join(ROOT, 'server', 'dist', ...pathInBuild);
  process.argv[1] = program;
  await import(pathToFileURL(program).href);
}
