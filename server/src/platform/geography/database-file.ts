import { Reader } from 'mmdb-lib';

/**
 * Looks up an IP address. Returns undefined if there is no readable entry for it. The form of entries depends on the
 * database.
 */
export type LookUp = (address: string) => unknown;

const AN_ADDRESS = '192.0.2.1';

function readerOf(bytes: Buffer) {
  try {
    const reader = new Reader(bytes);
    if (!(reader.metadata.searchTreeSize < bytes.length)) throw new RangeError('cut');
    reader.get(AN_ADDRESS);
    return reader;
  } catch {
    // The library's own messages describe its internals, so this message replaces them.
    throw new Error('it is no database in MaxMind DB format (mmdb), or was cut');
  }
}

export function openDatabase(bytes: Buffer): LookUp {
  const reader = readerOf(bytes);
  const { ipVersion } = reader.metadata;
  return (address) => {
    if (ipVersion === 4 && address.includes(':')) return undefined;
    try {
      return reader.get(address) ?? undefined;
    } catch {
      // A damaged record counts as absent.
      return undefined;
    }
  };
}
