export { checkStoredBehavior } from './check-stored.ts';
export { MAXIMUM_BEHAVIORS } from './resource.ts';
