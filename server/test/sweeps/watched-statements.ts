import { spyOnStatements } from '../support/spy-on-statements.ts';

/** The number of rows is null while the statement runs, and -1 if it failed. */
export interface WatchedStatement {
  readonly text: string;
  rows: number | null;
}

/** Records all statements that this process sends to PostgreSQL, in order, until `vi.restoreAllMocks()`. */
export function watchStatements(): readonly WatchedStatement[] {
  const watched: WatchedStatement[] = [];
  spyOnStatements(({ text }) => {
    const statement: WatchedStatement = { text: text.replaceAll(/\s+/g, ' ').trim(), rows: null };
    watched.push(statement);
    return (rows) => {
      statement.rows = rows;
    };
  });
  return watched;
}
