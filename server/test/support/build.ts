import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const BUILD = fileURLToPath(new URL('../../../tools/build.mjs', import.meta.url));

let built: Promise<unknown> | undefined;

/** Builds the server where its sources have changed: what tests start as a process of its own is what users start. */
export async function ensureBuild(): Promise<void> {
  built ??= promisify(execFile)(process.execPath, [BUILD]);
  await built;
}
