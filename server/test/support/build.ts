import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const BUILD = fileURLToPath(new URL('../../../tools/build.mjs', import.meta.url));

let built: Promise<unknown> | undefined;

/** Makes sure that the build is current. Most server processes of tests run it, as operators' processes do. */
export async function ensureBuild(): Promise<void> {
  built ??= promisify(execFile)(process.execPath, [BUILD]);
  await built;
}
