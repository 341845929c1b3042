export { MAXIMUM_SETS as MAXIMUM_RESOURCE_SETS } from './change-resource-set.ts';
export { checkStoredResource } from './check-stored.ts';
export { lockResourceSet, MAXIMUM_RESOURCES as MAXIMUM_RESOURCES_OF_SET } from './lock-resource-set.ts';
export { namesOf } from './resources/resource-names.ts';
export { findResources } from './resources/resource-store.ts';
export { findResourceSet, type ResourceSet } from './store.ts';
export { resourceSetTarget, setAddress } from './wire.ts';
