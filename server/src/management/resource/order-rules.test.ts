import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { placeOf, shiftForInsert, shiftForMove, shiftForRemoval } from './order-rules.ts';

describe('order', () => {
  type Rows = readonly { name: string; place: number }[];
  const shifted = (rows: Rows, shift: { from: number; to: number; by: number } | null): Rows =>
    rows.map((row) =>
      shift !== null && row.place >= shift.from && row.place <= shift.to
        ? { ...row, place: row.place + shift.by }
        : row,
    );

  const change = fc.record({
    kind: fc.constantFrom('insert', 'move', 'remove'),
    name: fc.string(),
    index: fc.nat(),
    place: fc.option(fc.integer({ min: 1, max: 20 })),
  });

  test('whatever is inserted, moved and removed: places are 1 to n, and the default is the last', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 40 }), (changes) => {
        let rows: Rows = [{ name: 'default', place: 1 }];
        for (const { index, kind, place: wanted } of changes) {
          const others = rows.filter(({ name }) => name !== 'default');
          const chosen = others[index % Math.max(1, others.length)];
          if (kind === 'insert') {
            const place = placeOf(wanted, rows.length);
            rows = [...shifted(rows, shiftForInsert(place)), { name: `${rows.length} ${index}`, place }];
          } else if (chosen !== undefined && kind === 'remove') {
            rows = shifted(
              rows.filter((row) => row !== chosen),
              shiftForRemoval(chosen.place),
            );
          } else if (chosen !== undefined) {
            const place = placeOf(wanted ?? chosen.place, others.length);
            const moved = shifted(rows, shiftForMove(chosen.place, place));
            rows = moved.map((row, n) => (rows[n] === chosen ? { ...chosen, place } : row));
          }
          const places = rows.map(({ place }) => place).sort((left, right) => left - right);
          expect(places).toEqual(rows.map((_, n) => n + 1));
          expect(rows.find(({ name }) => name === 'default')?.place).toBe(rows.length);
        }
      }),
    );
  });
});
