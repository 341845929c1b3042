import { inspect } from 'node:util';
import { expect } from 'vitest';

/** Requests spend most of their time waiting for PostgreSQL, so several checks run concurrently. */
const AT_ONCE = 8;

export interface Walk<Row> {
  readonly rows: readonly Row[];
  readonly nameOf: (row: Row) => string;
  /** With fewer rows, the test fails, because too short a list proves nothing. */
  readonly atLeast: number;
  /** The number of concurrent checks. It must be 1 if checks change something that affects others, such as a clock. */
  readonly atOnce?: number;
}

const shown = (value: unknown): string =>
  inspect(value, { depth: 4, breakLength: Number.POSITIVE_INFINITY, maxStringLength: 300 }).slice(0, 600);

/** Returns an error's message. If an assertion expected an object, adds both values, which the message shortens. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return shown(error);
  const isComparison = 'expected' in error && 'actual' in error && typeof error.expected === 'object';
  const values = isComparison ? `\n    expected ${shown(error.expected)}\n    received ${shown(error.actual)}` : '';
  return `${error.message}${values}`;
}

/** Runs `check` on every row. Fails with one message that lists all rows for which it throws. */
export async function expectOfEvery<Row>(walk: Walk<Row>, check: (row: Row) => unknown): Promise<void> {
  const { atLeast, atOnce = AT_ONCE, nameOf, rows } = walk;
  expect(atLeast, 'the least number of rows').toBeGreaterThan(0);
  expect(rows.length, 'rows to walk').toBeGreaterThanOrEqual(atLeast);
  const waiting = rows.entries();
  const offenders: string[] = [];
  let walked = 0;
  const work = async (): Promise<void> => {
    for (const [, row] of waiting) {
      try {
        await check(row);
      } catch (error) {
        offenders.push(`${nameOf(row)}: ${reasonOf(error)}`);
      }
      walked += 1;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  expect(walked, 'rows that were walked').toBe(rows.length);
  if (offenders.length > 0) {
    expect.fail(`${offenders.length} of ${rows.length} rows:\n${offenders.toSorted().join('\n')}`);
  }
}
