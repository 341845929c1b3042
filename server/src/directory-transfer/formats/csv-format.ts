import { readPasswordText } from '../../platform/crypto/passwords/index.ts';
import { cellsOf } from './csv-splitter.ts';
import { TransferError } from './raw-rows.ts';
import { Reading, type ReadRow } from './user-record.ts';

const MAXIMUM_COLUMNS = 1_000;
/** Columns with a special meaning. An attribute with such a name needs a prefix, as in `profile.status`. */
const OWN_COLUMNS = ['groups', 'status', 'type', 'passwordHash'] as const;
type OwnColumn = (typeof OWN_COLUMNS)[number];

export interface CsvFormat {
  readonly attributes: readonly string[];
  readonly read: (row: string) => ReadRow;
}

const isOwn = (name: string): name is OwnColumn => OWN_COLUMNS.some((known) => known === name);

export const delimiterOf = (header: string): string =>
  [',', ';', '\t'].find((delimiter) => header.includes(delimiter)) ?? ',';

export function csvFormat(header: string, delimiter: string, isLenient: boolean): CsvFormat {
  const names = cellsOf(header, delimiter)?.map((name) => name.trim()) ?? [];
  if (names.length === 0) throw new TransferError('The first row must name the columns.');
  if (names.length > MAXIMUM_COLUMNS)
    throw new TransferError(`The first row may name at most ${MAXIMUM_COLUMNS} columns.`);
  const empty = names.indexOf('');
  if (empty >= 0) throw new TransferError(`Column ${empty + 1} has no name.`);
  if (names.includes('password')) {
    throw new TransferError(
      'Passwords can only be imported as hashes. Rename the column password to passwordHash, or remove it.',
    );
  }
  const columns = names.map((name, index) => ({ index, name: name.replace(/^profile\./, ''), isOwn: isOwn(name) }));
  const attributes = columns.filter((column) => !column.isOwn);
  // `email` and `profile.email` are duplicates, but `status` and `profile.status` are not.
  for (const some of [attributes, columns.filter((column) => column.isOwn)]) {
    const seen = new Set<string>();
    for (const { name } of some) {
      if (seen.has(name)) throw new TransferError(`The first row names the column "${name}" twice.`);
      seen.add(name);
    }
  }
  const placeOf = (name: OwnColumn): number => names.indexOf(name);
  const places = {
    groups: placeOf('groups'),
    status: placeOf('status'),
    type: placeOf('type'),
    passwordHash: placeOf('passwordHash'),
  };
  const read = (row: string): ReadRow => {
    const cells = cellsOf(row, delimiter);
    if (cells === null) return [{ field: '', reason: 'has a quote in the wrong place.' }];
    if (cells.length !== names.length) {
      return [{ field: '', reason: `has ${cells.length} cells, but the first row has ${names.length}.` }];
    }
    const reading = new Reading();
    const cell = (name: OwnColumn): string => cells[places[name]]?.trim() ?? '';
    const hash = cell('passwordHash');
    const given = attributes.map(({ index, name }): [string, string] => [name, cells[index] ?? '']);
    return reading.done({
      profile: Object.fromEntries(given.filter(([, value]) => value !== '')),
      isText: true,
      isLenient,
      type: cell('type') === '' ? null : cell('type'),
      status: reading.status(cell('status')),
      password: hash === '' ? null : reading.password('passwordHash', readPasswordText(hash)),
      isEmailVerified: true,
      groups: reading.groups(cell('groups').split(';')),
    });
  };
  return { attributes: attributes.map(({ name }) => name), read };
}
