export { checkStoredDefinition } from './check-stored.ts';
export { MAXIMUM_DEFINITIONS } from './store.ts';
