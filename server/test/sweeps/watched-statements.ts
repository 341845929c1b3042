import pg from 'pg';
import { vi } from 'vitest';

/** The number of rows is null while the statement runs, and -1 if it failed. */
export interface WatchedStatement {
  readonly text: string;
  rows: number | null;
}

const rowsOf = (result: unknown): number => Number(Reflect.get(Object(result), 'rowCount') ?? 0);

/** Records all statements that this process sends to PostgreSQL, in order, until `vi.restoreAllMocks()`. */
export function watchStatements(): readonly WatchedStatement[] {
  const watched: WatchedStatement[] = [];
  const original: (...given: unknown[]) => unknown = Reflect.get(pg.Client.prototype, 'query');
  vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function query(this: pg.Client, ...given: unknown[]) {
    const [first] = given;
    const text: unknown = typeof first === 'string' ? first : Reflect.get(Object(first), 'text');
    if (typeof text !== 'string') return Reflect.apply(original, this, given);
    const statement: WatchedStatement = { text: text.replaceAll(/\s+/g, ' ').trim(), rows: null };
    watched.push(statement);
    // The pool passes a callback, whereas the unit of work awaits a promise.
    const done = given.at(-1);
    if (typeof done === 'function') {
      const told = (error: unknown, result: unknown): unknown => {
        statement.rows = error === null || error === undefined ? rowsOf(result) : -1;
        return Reflect.apply(done, undefined, [error, result]);
      };
      return Reflect.apply(original, this, [...given.slice(0, -1), told]);
    }
    const answer = Reflect.apply(original, this, given);
    const noted = (result: unknown): void => {
      statement.rows = rowsOf(result);
    };
    if (answer instanceof Promise)
      answer.then(noted, () => {
        statement.rows = -1;
      });
    return answer;
  });
  return watched;
}
