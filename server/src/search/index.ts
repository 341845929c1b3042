export { allPoints, type Driver, driversOf, scansChain, scansRange } from './plan.ts';
export { chooseScan, type IndexScan } from './scan/choose-scan.ts';
export { startingWith } from './scan/key-range.ts';
export { runScan } from './scan/run-scan.ts';
export {
  assertOneSearch,
  type RawQuery,
  type SearchInput,
  type SearchPage,
  searchPage,
} from './search-page.ts';
export { findByPrefix, type Place, type ScannedColumn, type SearchScope } from './search-store.ts';
export type { SearchedAttribute, SearchedTable } from './searched-table.ts';
export { type AttributeRow, changedRows, dateKey, keyOf, textKey } from './value-keys.ts';
