import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { textArray } from '../../src/platform/postgres/index.ts';
import { beforeTests } from '../support/before-tests.ts';
import { openTestDatabase } from '../support/database.ts';

const database = beforeTests(() => openTestDatabase());

test('PostgreSQL reads the array that was written, whatever is in it', async () => {
  const text = fc.string({ unit: 'grapheme' }).map((value) => value.replaceAll('\0', ''));
  await fc.assert(
    fc.asyncProperty(fc.array(fc.option(text)), async (values) => {
      const { rows } = await database.pool.query<{ found: (string | null)[]; length: number }>(
        'select $1::text[] as found, cardinality($1::text[]) as length',
        [textArray(values)],
      );
      expect(rows).toEqual([{ found: values, length: values.length }]);
    }),
  );
});

test('bytes are taken for UTF-8 as they stand, and refused where they are none', async () => {
  const select = (bytes: Buffer) => database.pool.query('select $1::text[] as found', [textArray([bytes])]);
  expect((await select(Buffer.from('é'))).rows).toEqual([{ found: ['é'] }]);
  await expect(select(Buffer.of(0xff))).rejects.toThrow('encoding');
});
