export { createOnce } from './create-once.ts';
export { type ListPorts, type PageQuery, pageById, type RawQuery } from './page-by-id.ts';
export { activated, assertRoom, changedRow, resource, statusChange } from './resource.ts';
export { resourceStore } from './resource-store.ts';
export { rowSecrets } from './row-secrets.ts';
