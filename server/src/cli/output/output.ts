export interface ListOptions {
  readonly json?: boolean;
}

type Cell = string | number | boolean | null;

export const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

/** Replaces control and format characters, so that data from the database cannot control the operator's terminal. */
export const printable = (text: string): string =>
  text.replace(/[\p{Cc}\p{Cf}]/gu, (found) => (found === '\n' ? ' ' : '?'));

/** All rows must have the same keys, because the keys of the first row become the column headings. */
export function printRows(rows: readonly Readonly<Record<string, Cell>>[], options: ListOptions): void {
  if (options.json === true) {
    print(JSON.stringify(rows, null, 2));
    return;
  }
  const [first] = rows;
  if (first === undefined) {
    print('(none)');
    return;
  }
  const names = Object.keys(first);
  const lines = rows.map((row) => names.map((name) => printable(String(row[name] ?? '-'))));
  const widths = names.map((name, index) => Math.max(name.length, ...lines.map((line) => line[index]?.length ?? 0)));
  const render = (cells: readonly string[]) =>
    cells
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd();
  print(render(names.map((name) => name.toUpperCase())));
  for (const line of lines) print(render(line));
}

export const printableLines = (text: string): string => text.split('\n').map(printable).join('\n');

export const printText = (text: string): void => print(printableLines(text));
