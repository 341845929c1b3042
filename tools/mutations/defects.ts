import { readFileSync } from 'node:fs';

/** A defect that was fixed. Replacing `before` with `after` in the file restores the defect. */
export interface Defect {
  /** The review finding, as numbered in docs/review-findings.md. */
  readonly finding: string;
  readonly what: string;
  readonly file: string;
  readonly before: string;
  readonly after: string;
  /** The test file that must fail while the defect is restored. */
  readonly test: string;
}

export const DEFECTS: readonly Defect[] = JSON.parse(
  readFileSync(new URL('./defects.json', import.meta.url), 'utf8'),
) as readonly Defect[];
