import { readFileSync } from 'node:fs';

/** A published version, the last commit that changed its code, and the number of its last migration. */
export interface Release {
  readonly version: string;
  readonly commit: string;
  readonly schema: number;
}

export const readReleases = (): readonly Release[] =>
  JSON.parse(readFileSync(new URL('../../../releases.json', import.meta.url), 'utf8')) as readonly Release[];
