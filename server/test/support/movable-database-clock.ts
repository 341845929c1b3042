import type { TestDatabase } from './database.ts';

// Functions in `public` stand in front of those of PostgreSQL. A sequence holds how far the clock was moved, because
// every transaction sees its value at once.
const MOVABLE = [
  'create sequence moved_milliseconds minvalue 0 start 0',
  `create function public.clock_timestamp() returns timestamptz language sql volatile as
     $$ select pg_catalog.clock_timestamp() + last_value * interval '1 millisecond' from public.moved_milliseconds $$`,
  `create function public.now() returns timestamptz language sql stable as
     $$ select pg_catalog.now() + last_value * interval '1 millisecond' from public.moved_milliseconds $$`,
];

/**
 * Makes the clock movable that statements of later connections ask. Returns a function that sets how far it is moved.
 * Defaults of columns keep PostgreSQL's own clock.
 */
export async function makeClockMovable({ connection, pool }: TestDatabase) {
  for (const text of MOVABLE) await pool.query(text);
  await pool.query(`alter database ${connection.database} set search_path to public, pg_catalog`);
  return async (milliseconds: number): Promise<void> => {
    await pool.query(`select setval('moved_milliseconds', $1)`, [Math.round(milliseconds)]);
  };
}
