import { describe, expect, test } from 'vitest';
import { allRoutes } from '../../server/src/app/declared-routes.ts';
import { PARAMETER_LIMITS, PARAMETER_PROOFS } from './parameter-proofs.ts';
import { isThere } from './proof.ts';

/** The number of parameters that have no effect, counted once for each operation. The number may only decrease. */
const MOST_LIMITS = 16;

const declared = allRoutes.flatMap(({ operationId, query }) =>
  Object.keys(query ?? {}).map((parameter) => ({ operationId, parameter })),
);

type Row = (typeof PARAMETER_PROOFS | typeof PARAMETER_LIMITS)[number];

const names = ({ operations, parameter }: Row, asked: (typeof declared)[number]): boolean =>
  parameter === asked.parameter && operations !== 'every' && operations.includes(asked.operationId);

/** A row that names the operation takes precedence over an `every` row. */
const rowOf = (asked: (typeof declared)[number]): Row | undefined => {
  const rows: readonly Row[] = [...PARAMETER_PROOFS, ...PARAMETER_LIMITS];
  return (
    rows.find((row) => names(row, asked)) ??
    rows.find(({ operations, parameter }) => operations === 'every' && parameter === asked.parameter)
  );
};

describe('every parameter that a route declares', () => {
  test('has an effect that a test shows, or stands among the limits', () => {
    expect(declared.length).toBeGreaterThan(300);
    const without = declared.filter((asked) => rowOf(asked) === undefined);
    expect(without.map(({ operationId, parameter }) => `${parameter} of ${operationId}`)).toEqual([]);
  });

  test('is shown by a test that there is', () => {
    const gone = PARAMETER_PROOFS.filter((proof) => !isThere(proof));
    expect(gone.map(({ file, parameter, title }) => `${parameter}: ${file}: ${title}`)).toEqual([]);
  });

  test('stands once: no row is left of what is declared no more', () => {
    const used = new Set(declared.map(rowOf));
    const unused = [...PARAMETER_PROOFS, ...PARAMETER_LIMITS].filter((row) => !used.has(row));
    expect(unused.map(({ operations, parameter }) => `${parameter} of ${String(operations)}`)).toEqual([]);
    const strangers = [...PARAMETER_PROOFS, ...PARAMETER_LIMITS].flatMap((row) =>
      row.operations === 'every'
        ? []
        : row.operations.filter(
            (operationId) => !declared.some((one) => names(row, one) && one.operationId === operationId),
          ),
    );
    expect(strangers).toEqual([]);
  });

  test('the limits only shrink', () => {
    const limited = declared.filter((asked) => PARAMETER_LIMITS.some((row) => row === rowOf(asked)));
    expect(limited.length).toBe(MOST_LIMITS);
    for (const { reason } of PARAMETER_LIMITS) expect(reason).toMatch(/^[A-Z].{20,}\.$/);
  });
});
