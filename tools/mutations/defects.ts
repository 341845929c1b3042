import { readFileSync } from 'node:fs';

/** A fault that was fixed. Replacing `before` with `after` restores it. */
export interface Defect {
  /** The review finding, as named in docs/review-findings.md. */
  readonly finding: string;
  readonly what: string;
  readonly file: string;
  readonly before: string;
  readonly after: string;
  /** The test file that fails while the fault is restored. */
  readonly test: string;
}

export const DEFECTS: readonly Defect[] = JSON.parse(
  readFileSync(new URL('./defects.json', import.meta.url), 'utf8'),
) as readonly Defect[];
