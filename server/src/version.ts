import { readFileSync } from 'node:fs';

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string };

/** The release, as package.json says; seen alike from the sources and from the build. */
export const VERSION: string = manifest.version;
