export { lockResourceSet } from './lock-resource-set.ts';
export { namesOf } from './resource-names.ts';
export { findResources } from './resource-store.ts';
export { findResourceSet, type ResourceSet } from './store.ts';
export { resourceSetTarget, setAddress } from './wire.ts';
