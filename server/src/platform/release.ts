import { readFileSync } from 'node:fs';
import { packageFile } from './package-folder.ts';

const manifest = JSON.parse(readFileSync(packageFile('package.json'), 'utf8')) as { version: string };

/** The release according to package.json, for the sources and the build alike. */
export const VERSION: string = manifest.version;
