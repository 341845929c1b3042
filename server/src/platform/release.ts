import { readFileSync } from 'node:fs';
import { packageFile } from './package-folder.ts';

const manifest = JSON.parse(readFileSync(packageFile('package.json'), 'utf8')) as { version: string };

/** The version of this release according to package.json. */
export const VERSION: string = manifest.version;
