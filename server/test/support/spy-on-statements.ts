import pg from 'pg';
import { vi } from 'vitest';
import { Packet } from '../../src/platform/postgres/connections/packet.ts';

export interface SeenStatement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** A function that is called at the end of a statement with the number of its rows, or with -1 if it failed. */
type Ended = (rows: number) => void;

const rowsOf = (result: unknown): number => Number(Reflect.get(Object(result), 'rowCount') ?? 0);

const seenIn = (first: unknown, second: unknown): SeenStatement | null => {
  const text: unknown = typeof first === 'string' ? first : Reflect.get(Object(first), 'text');
  const values: unknown = typeof first === 'string' ? second : Reflect.get(Object(first), 'values');
  return typeof text === 'string' ? { text, values: Array.isArray(values) ? values : [] } : null;
};

function watchResult(result: unknown, ended: Ended): void {
  if (!(result instanceof Promise)) return;
  result.then(
    (value) => ended(rowsOf(value)),
    () => ended(-1),
  );
}

/**
 * Calls `see` with each statement that this process sends to PostgreSQL or adds to a packet, in order, until
 * `vi.restoreAllMocks()`. `see` may return a function to be called at the end of the statement.
 */
export function spyOnStatements(see: (statement: SeenStatement) => Ended | null): void {
  const add: Packet['add'] = Reflect.get(Packet.prototype, 'add');
  vi.spyOn(Packet.prototype, 'add').mockImplementation(function added(this: Packet, config) {
    const ended = see({ text: config.text, values: config.values ?? [] });
    const result = Reflect.apply(add, this, [config]);
    if (ended !== null) watchResult(result, ended);
    return result;
  });
  const query: (...given: unknown[]) => unknown = Reflect.get(pg.Client.prototype, 'query');
  vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function queried(this: pg.Client, ...given: unknown[]) {
    const seen = given[0] instanceof Packet ? null : seenIn(given[0], given[1]);
    const ended = seen === null ? null : see(seen);
    const done = given.at(-1);
    if (ended === null || typeof done !== 'function') {
      const result = Reflect.apply(query, this, given);
      if (ended !== null) watchResult(result, ended);
      return result;
    }
    const told = (error: unknown, result: unknown): unknown => {
      ended(error === null || error === undefined ? rowsOf(result) : -1);
      return Reflect.apply(done, undefined, [error, result]);
    };
    return Reflect.apply(query, this, [...given.slice(0, -1), told]);
  });
}
