import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { checkNode, ensureBuilt, ROOT } from './setup.mjs';

/**
 * Sets the clone up and runs a program of the build in this process, so that signals and arguments reach it. Relative
 * paths (the data folder) are relative to the working directory, not the clone.
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
