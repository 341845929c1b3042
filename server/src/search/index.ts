export { allPoints, type Driver, driversOf, walksChain, walksRange } from './plan.ts';
export {
  assertOneSearch,
  type RawQuery,
  type SearchInput,
  type SearchPage,
  searchPage,
} from './search-page.ts';
export { findByPrefix, type Place, type SearchScope, type Walked } from './search-store.ts';
export type { SearchedAttribute, SearchedTable } from './searched-table.ts';
export { type AttributeRow, changedRows, dateKey, keyOf, textKey } from './value-keys.ts';
export { chooseWalk, type Walk } from './walk/choose-walk.ts';
export { startingWith } from './walk/key-range.ts';
export { takeWalk } from './walk/walk.ts';
