import { readFileSync } from 'node:fs';

/** A version that was published: its last commit of code, and the schema that it knew. */
export interface Release {
  readonly version: string;
  readonly commit: string;
  readonly schema: number;
}

/** `releases.json`, oldest first. */
export const readReleases = (): readonly Release[] =>
  JSON.parse(readFileSync(new URL('../../../releases.json', import.meta.url), 'utf8')) as readonly Release[];
