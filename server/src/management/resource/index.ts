export { createOnce } from './create-once.ts';
export { placeOf, type Shift, shiftForInsert, shiftForMove, shiftForRemoval } from './order-rules.ts';
export { type ListPorts, type PageQuery, pageById, type RawQuery } from './page-by-id.ts';
export { activated, assertRoom, changedRow, resource, statusChange } from './resource.ts';
export { resourceStore } from './resource-store.ts';
export { rowSecrets } from './row-secrets.ts';
export { countSiblings, shiftSiblings } from './sibling-store.ts';
